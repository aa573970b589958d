"""Words as vectors: where they come from, nearest words and how sure they are."""
