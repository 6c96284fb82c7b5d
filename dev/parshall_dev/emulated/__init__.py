"""Linux in an emulated machine: a kernel of one's own, without a disk and without a network.

    from parshall_dev.emulated import Kernel, Machine

    machine = Machine(Kernel.load("linux/kernels/6.1"), programs=["tc", "ip"], modules=["veth", "sch_red"])
    print(machine.run("ip link add a type veth peer name b; tc qdisc show"))

The script is run by busybox's shell as the machine's first process; what it prints comes back. The machine
has one processor that executes an instruction in two nanoseconds of its own time (QEMU's ``-icount``): the
same machine and script print the same bytes on any computer, however slow. Docs: ``docs/guide/linux.md``.
"""

from __future__ import annotations

from parshall_dev.emulated.kept import Runs
from parshall_dev.emulated.kernel import Kernel
from parshall_dev.emulated.machine import EmulationError, Machine, missing
from parshall_dev.emulated.workshop import Workshop

__all__ = ["EmulationError", "Kernel", "Machine", "Runs", "Workshop", "missing"]
