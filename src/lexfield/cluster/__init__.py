"""An index in shards, searched and built on a Dask cluster or from an object store."""
