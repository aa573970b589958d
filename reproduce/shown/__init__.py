"""Results as blocks of the report: one module a paper, one function a table or figure."""
