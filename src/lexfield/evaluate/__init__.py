"""Retrieval experiments: query files, TREC runs and judgements, measures and fusion."""
