"""Simulated tables: a seeded dealer and bettors who play by the documents, and their faults.

shoe.py               shuffled decks, dealt card by card
stakes.py             amounts within the limits of a table
table.py              a table sheet for a rulebook, and a round at it
habits.py             what tables do now and then, all of it lawful
voiding.py            what makes a round void
baccarat_table.py     a round of baccarat
baccarat_pay.py       what its wagers are paid
blackjack_betting.py  who stands on which box, with what
blackjack_setting.py  what stands before its first card: wagers, and what is logged
blackjack_style.py    how bettors play: in every lawful way, or sensibly
blackjack_table.py    a round of blackjack
blackjack_pay.py      what its wagers are paid
faults.py             single faults, each a breach of the documents, with the code that names it

Nights of play, as a casino's systems would log them:

rows.py               a round as rows of the logs, the inverse of audit.assembly
night_table.py        a table of the casino: its sheet, and how its logs are kept
patrons.py            who comes to it, and what they stake
night_play.py         one lawful round of a night
night_faults.py       the kinds of faults, and what is true of one that was planted
planting.py           putting faults into rounds, so that the shoe goes on from the right card
shoe_orders.py        shoes that were not shuffled, or hold a card too many
camera.py             cards that were not read, or not surely, and a second card log
nights.py             tables through nights, shoe by shoe, from a seed
log_files.py night_files.py
                      all of it as files, and the truth beside them

The money is worked out here from the pay tables alone, never with `audit.settlement`: comparing a
simulated round with its judgement compares two computations.
"""
