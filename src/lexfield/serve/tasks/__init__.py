"""What worker processes do: verbs on indexes, which they open and keep open."""
