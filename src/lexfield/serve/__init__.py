"""The HTTP API and the page, built from verbs. Importing it reports a package that is missing."""

from importlib.util import find_spec

from lexfield.errors import need

for _package in ("starlette", "uvicorn", "python_multipart"):
    if find_spec(_package) is None:  # looks without importing: workers need none of them
        need(_package, "serve")
