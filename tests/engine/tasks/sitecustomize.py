"""Python imports this at its start if the folder is in PYTHONPATH.

Workers run only functions of lexfield; here the package gets one more module, ``slow.py``.
"""

from pathlib import Path

import lexfield

lexfield.__path__.append(str(Path(__file__).parent))
