"""A local server: the page, the HTTP API, and the guards that stand before both."""
