"""What each wager must be paid, and whether it was."""
