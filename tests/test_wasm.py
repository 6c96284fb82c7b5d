"""The engine as WebAssembly in Node and Chromium: the same bits as here, and a message for every failure."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

import numpy as np
import pytest
from tests.bits import runs

import parshall
from parshall.scenario.canonical import canonical_json

MODULE = "out/wasm/parshall.wasm"
BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
PAGE = """<!doctype html><meta charset="utf-8"><title>Digests</title>
<script>
  const worker = new Worker("worker.mjs", { type: "module" });
  const tell = (found) => fetch("found", { method: "POST", body: JSON.stringify(found) });
  worker.onmessage = ({ data }) => tell(data);
  worker.onerror = (event) => tell({ error: event.message });
</script>"""
WORKER = """
import { Engine } from "./parshall.mjs";
const engine = await Engine.load(await (await fetch("parshall.wasm")).arrayBuffer());
const found = {};
for (const { name, network } of await (await fetch("asked.json")).json()) {
  const { tables, events } = engine.run(network);
  const bytes = [];
  for (const [table, columns] of Object.entries(tables)) {
    for (const [column, values] of Object.entries(columns)) {
      const view = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
      bytes.push(new TextEncoder().encode(`${table}.${column}:`), view);
    }
  }
  bytes.push(new TextEncoder().encode(`events:${events}`));
  const sha = new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(bytes).arrayBuffer()));
  found[name] = [...sha].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
postMessage(found);
"""

pytestmark = pytest.mark.exhaustive


@pytest.fixture
def built(repository: Path) -> Path:
    """The folder of the module, which `make wasm` makes."""
    if shutil.which("node") is None:
        pytest.skip("no node")
    if not (repository / MODULE).is_file():
        pytest.skip(f"no {MODULE}: make wasm")
    return (repository / MODULE).parent


def digest(recording: parshall.Recording) -> str:
    """As `tests/wasm_digests.mjs` makes it."""
    sha = hashlib.sha256()
    for table in recording.tables:
        columns = recording.columns(table)
        for name in columns:
            values = np.ascontiguousarray(columns[name])
            # Small codes are as signed numbers in Python, which can be subtracted.
            values = values.astype(np.uint8) if values.dtype == np.int16 else values
            sha.update(f"{table}.{name}:".encode() + values.tobytes())
    for port, capture in sorted(recording.pcap.items()):
        sha.update(f"{port}:".encode() + capture)
    sha.update(f"events:{recording.events}".encode())
    return sha.hexdigest()


def in_node(folder: Path, asked: list[Mapping[str, Any]]) -> dict[str, str]:
    """The digest, or the error, of each network."""
    script = Path(__file__).parent / "wasm_digests.mjs"
    done = subprocess.run(
        ["node", script, folder],
        input="".join(json.dumps(one) + "\n" for one in asked),
        capture_output=True,
        text=True,
        check=True,
    )
    return dict(map(json.loads, done.stdout.splitlines()))


def test_recordings_in_node_are_those_of_this_machine(built: Path) -> None:
    scenarios = dict(runs())
    asked = [{"name": name, "network": canonical_json(one)} for name, one in scenarios.items()]
    told = in_node(built, asked)
    differ = [name for name, one in scenarios.items() if told[name] != digest(parshall.run(one, 1))]
    assert differ == []
    assert len(told) > 100


class Site(SimpleHTTPRequestHandler):
    """Files of a folder, and what a page found."""

    found: SimpleQueue[dict[str, str]] = SimpleQueue()

    def do_POST(self) -> None:
        """Hands the test what the page says."""
        self.found.put(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.mark.skipif(BROWSER is None, reason="needs Chromium")
def test_recordings_in_a_worker_of_a_page_are_those_of_this_machine(built: Path, tmp_path: Path) -> None:
    assert BROWSER is not None
    kinds = ("control", "queue", "timeout", "forecaster", "application", "law", "meter")
    scenarios = {name: one for name, one in runs() if name.startswith(kinds)}
    assert len(scenarios) >= 50
    asked = [{"name": name, "network": canonical_json(one)} for name, one in scenarios.items()]
    site = tmp_path / "site"
    shutil.copytree(built, site)
    (site / "asked.json").write_text(json.dumps(asked))
    (site / "page.html").write_text(PAGE)
    (site / "worker.mjs").write_text(WORKER)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Site, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        command = [
            BROWSER,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={tmp_path / 'profile'}",
        ]
        page = f"http://127.0.0.1:{server.server_port}/page.html"
        with subprocess.Popen([*command, page], stderr=subprocess.DEVNULL) as browser:
            try:
                told = Site.found.get(timeout=120)
            finally:
                browser.terminate()
        server.shutdown()
    differ = [name for name, one in scenarios.items() if told.get(name) != digest(parshall.run(one, 1))]
    assert differ == [], told.get("error")


def test_what_is_wrong_is_told(built: Path) -> None:
    network = json.loads(canonical_json(dict(runs())["control cubic"]))
    lost = network | {"flows": [network["flows"][0] | {"destination": "nowhere"}]}
    asked = [
        {"name": "limit", "network": network, "options": {"maxEvents": 100}},
        {"name": "destination", "network": lost},
        {"name": "text", "network": "{"},
        {"name": "toml", "network": 'duration = "1 s"\n[dumbbell]\nrate = "5 mbit/s"\n'},
    ]
    told = in_node(built, asked)
    assert told["limit"].startswith("ParshallError: stopped at ")
    assert told["limit"].endswith(": reached max_events = 100")
    assert told["destination"].startswith("ParshallError: flows[0].destination: got ")
    assert told["text"].startswith("ParshallError: got text that is not JSON (EOF while parsing")
    assert told["toml"].startswith(
        'ParshallError: line 3: dumbbell.rate: got "5 mbit/s", expected a rate above 0'
    )
