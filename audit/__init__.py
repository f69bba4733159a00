"""What the approved rules say about the cards, the wagers and the decisions of a round."""
