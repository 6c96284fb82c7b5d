"""Measures what a packet costs in the queue discipline estmred, and writes the table of docs/guide/linux.md.

The kernel's own packet generator sends through a queue on a device that swallows everything, in an emulated
machine that executes an instruction in two nanoseconds: differences are instructions, the same on each run.
"""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

from tests import linux_machine as linux

from parshall_dev.checkout import ROOT

PAGE = ROOT / "docs/guide/linux.md"
PACKETS = 100_000
NS_PER_INSTRUCTION = 2
RED = "limit 60kB min 15kB max 45kB avpkt 1000 bandwidth 1gbit"
BUSY = f"estmred {RED} delay 5ms sleep never"
QUEUES = {
    "bfifo": "bfifo limit 60kB",
    "red": f"red {RED} burst 25",
    "estmred, `estimate off`": f"estmred {RED} estimate off",
    "estmred, estimating": BUSY,
    "estmred, `estimate multi-hop`": f"{BUSY} estimate multi-hop",
    "estmred, `clock 10ms`": f"{BUSY} clock 10ms",
    "estmred, asleep": f"estmred {RED} delay 500us sleep 1",
}
SCRIPT = """
ip link add d0 type dummy; ip link set d0 up; ip addr add 10.0.0.1/24 dev d0
insmod /lib/sch_estmred.ko
measure() {
  tc qdisc add dev d0 root $1 || exit 1
  echo rem_device_all > /proc/net/pktgen/kpktgend_0
  echo add_device d0 > /proc/net/pktgen/kpktgend_0
  for word in "count $COUNT" "pkt_size 972" "delay 0" "dst 10.0.0.2" "dst_mac 02:00:00:00:00:02" \\
              "xmit_mode queue_xmit"
  do echo "$word" > /proc/net/pktgen/d0; done
  echo start > /proc/net/pktgen/pgctrl
  echo "took $(sed -n 's/.*OK: \\([0-9]*\\)(.*/\\1/p' /proc/net/pktgen/d0)"
  tc qdisc del dev d0 root
}
"""


def measured():
    """Nanoseconds of the machine's time for each packet, by queue."""
    kernel = linux.kernel("6.1")
    with tempfile.TemporaryDirectory() as folder:
        built = linux.source(Path(folder))
        linux.build_module(built, kernel)
        linux.make(built, "plugin")
        linux.build_tools(built)
        machine = replace(linux.machine(built, kernel), modules=("dummy", "sch_red", "pktgen"))
        runs = "".join(f'measure "{options}"\n' for options in QUEUES.values())
        said = machine.run(f"COUNT={PACKETS}\n{SCRIPT}{runs}", timeout_s=280)
    microseconds = [int(each) for each in re.findall(r"^took (\d+)$", said, re.MULTILINE)]
    assert len(microseconds) == len(QUEUES), said
    return {name: 1000 * took / PACKETS for name, took in zip(QUEUES, microseconds, strict=True)}


def main():
    """Measures and writes."""
    found = measured()
    red = found["red"]
    lines = ["| queue | instructions a packet, all of its way | beyond red |", "|---|---|---|"]
    for name, ns in found.items():
        beyond = (ns - red) / NS_PER_INSTRUCTION
        lines.append(f"| {name} | {ns / NS_PER_INSTRUCTION:.0f} | {beyond:+.0f} |")
    body = "<!-- cost -->\n\n" + "\n".join(lines) + "\n\n<!-- end of cost -->"
    page = PAGE.read_text()
    PAGE.write_text(re.sub("<!-- cost -->.*?<!-- end of cost -->", lambda _: body, page, flags=re.DOTALL))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
