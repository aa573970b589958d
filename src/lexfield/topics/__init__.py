"""The probability simplex: texts as distributions over topics, and nearest neighbours there."""
