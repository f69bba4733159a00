"""Where cards come from: table footage and card-reading shoes, ended as the same card log."""
