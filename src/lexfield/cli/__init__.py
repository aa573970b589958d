"""The command line: commands built from verbs, and how results are printed."""
