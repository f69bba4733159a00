"""Figures of the README, one command each; none of them is a timed assert."""
