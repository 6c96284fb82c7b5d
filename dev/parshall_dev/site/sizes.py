"""The sizes of the engine as WebAssembly, on the page that tells them.

``python -m parshall_dev.site.sizes`` writes them after ``make wasm``.
"""

from __future__ import annotations

import gzip
import subprocess
from pathlib import Path

import click

from parshall_dev.checkout import ROOT

__all__ = ["MODULE", "PAGE", "sizes", "told"]

MODULE = ROOT / "out/wasm/parshall.wasm"
"""The module that ``make wasm`` builds."""
PAGE = ROOT / "docs/guide/browser.md"

_BEGINS = "<!-- sizes: made by python -m parshall_dev.site.sizes -->"
_ENDS = "<!-- end of sizes -->"
# Python has no Brotli of its own, and Node is there where the module is tried.
_BROTLI = (
    "const { brotliCompressSync } = require('node:zlib'); const { readFileSync } = require('node:fs');"
    "console.log(brotliCompressSync(readFileSync(process.argv[1])).length)"
)


def sizes(module: Path = MODULE) -> dict[str, int]:
    """Bytes of a module: as it is, and by the best that gzip and Brotli do."""
    done = subprocess.run(["node", "-e", _BROTLI, module], capture_output=True, text=True, check=True)
    content = module.read_bytes()
    return {"as it is": len(content), "gzip": len(gzip.compress(content, 9)), "Brotli": int(done.stdout)}


def told(page: str) -> dict[str, float]:
    """The sizes that the page has, in MB."""
    rows = [line.strip("| ").split("|") for line in _section(page).splitlines() if line.startswith("| ")]
    return {name.strip(): float(size) for name, size in rows[1:]}


def _section(page: str) -> str:
    return page.partition(_BEGINS)[2].partition(_ENDS)[0]


@click.command()
def main() -> None:
    """Writes the sizes of out/wasm/parshall.wasm into docs/guide/browser.md."""
    if not MODULE.is_file():
        raise click.ClickException(
            f"no {MODULE.relative_to(ROOT)}, expected the engine as make wasm builds it"
        )
    page = PAGE.read_text(encoding="utf-8")
    rows = [f"| {name} | {size / 1e6:.2f} |" for name, size in sizes().items()]
    table = "\n".join(["", "| the module | MB |", "|---|---|", *rows, ""])
    before, begins, rest = page.partition(_BEGINS)
    PAGE.write_text(f"{before}{begins}\n{table}\n{_ENDS}{rest.partition(_ENDS)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
