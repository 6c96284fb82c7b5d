"""Commands inside of the site's notebooks, run as a reader would type them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

__all__ = ["shell"]


def shell(*commands: str, width: int = 110) -> None:
    """Runs commands one after the other and prints each behind a ``$``, with its output.

    ``parshall`` is the command of the running Python. Raises CalledProcessError if one fails, which ends the
    build.
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    # A notebook's kernel asks for colours, and so for a terminal.
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("COLOR", "COLOR_FORCE"))}
    environment = {**kept, "PATH": path, "COLUMNS": str(width), "NO_COLOR": "1", "TERM": "dumb"}
    for command in commands:
        done = subprocess.run(
            command,
            shell=True,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        print(f"$ {command}\n{done.stdout.rstrip()}\n")
        if done.returncode:
            raise subprocess.CalledProcessError(done.returncode, command, done.stdout)
