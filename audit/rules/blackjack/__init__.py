"""Blackjack as the three documents have it: one engine, three rulebooks.

hands.py      point values and totals, blackjack, pairs, over and under 13
dealing.py    the initial deal and the order of play
decisions.py  split, double, surrender, even money, insurance, standing, drawing
dealer.py     when the dealer draws, stands, or need not draw
wagers.py     raises, insurance, side wagers, who decides
play.py       a round read one way: which hand held and did what
ways.py       the ways in which a round can be read
"""
