"""List the files of this copy of lexfield that a script and its worker processes open.

Python imports this file at its start, where its folder is on PYTHONPATH. The lists go into the
folder that the environment variable LEXFIELD_OPENED names, one for each process.
"""

import os
import sys

_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep

if _folder := os.environ.get("LEXFIELD_OPENED"):
    _path = os.path.join(_folder, str(os.getpid()))
    _list = open(_path, "a", buffering=1, encoding="utf-8")  # noqa: SIM115 - until the end

    def _note(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and isinstance(arguments[0], str):
            path = os.path.abspath(arguments[0])
            if path.startswith(_ROOT):
                _list.write(path + "\n")

    sys.addaudithook(_note)
