"""``parshall validate linux``: TCP and queues of a real kernel in an emulated machine, beside the simulator.

``cells`` says what is compared, ``script`` what a machine is told and ``reading`` what it says; ``machines``
runs them and keeps their answers. ``ours`` is the same in the simulator, ``compare`` puts both beside each
other, and ``page`` and ``command`` are what a reader meets.
"""
