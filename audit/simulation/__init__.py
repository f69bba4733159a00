"""Simulated tables: a seeded dealer and bettors who play by the documents, and their faults.

shoe.py               shuffled decks, dealt card by card
stakes.py             amounts within the limits of a table
table.py              a table sheet for a rulebook, and a round at it
habits.py             what tables do now and then, all of it lawful
voiding.py            what makes a round void
baccarat_table.py     a round of baccarat
baccarat_pay.py       what its wagers are paid
blackjack_betting.py  who stands on which box, with what
blackjack_table.py    a round of blackjack
blackjack_pay.py      what its wagers are paid
faults.py             single faults, each a breach of the documents, with the code that names it

The money is worked out here from the pay tables alone, never with `audit.settlement`: comparing a
simulated round with its judgement compares two computations.
"""
