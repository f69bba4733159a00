"""Reports: a night, a table, a dealer, a period, as a page, Markdown, CSV, XLSX or JSON."""
