"""From drawn and real pictures to the weights in models/."""
