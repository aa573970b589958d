"""What the stores of an index in shards are called."""

KIND = "index in shards"
SHARD = "shard"
NAME = "s"  # of the one segment in a shard's store
