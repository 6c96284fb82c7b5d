"""The header for compiled controls, in C and in Rust; those of other parts lie beside it.

python -m parshall.control.header        prints the folder where they are installed
python -m parshall.control.header DIR    writes them into a folder
"""

from __future__ import annotations

import sys

from parshall.own.header import INSTALLED, main

__all__ = ["INSTALLED", "main"]

if __name__ == "__main__":
    main(sys.argv[1:])
