"""The clauses as code, one pure function a rule, in the order of the documents."""
