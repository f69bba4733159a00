"""Decks, tables and film that we draw ourselves, with exact truth."""
