"""``python -m parshall`` is the command ``parshall``."""

import sys

from parshall.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
