"""Drawing the zones of a table: a page with a frame to click on, and the sheet it is kept in."""
