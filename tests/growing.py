"""Lists that a scenario makes grow without bound, each with one that does, for :mod:`tests.test_memory`."""

from __future__ import annotations

NETWORK = """
{top}
hosts = ["a", "b"]
routers = ["r1", "r2"]
[[links]]
between = ["a", "r1"]
rate = "{rate}"
delay = "1 ms"
{access}
[[links]]
name = "bottleneck"
between = ["r1", "r2"]
rate = "{narrow}"
delay = "10 ms"
{bottleneck}
[[links]]
between = ["r2", "b"]
rate = "{rate}"
delay = "1 ms"
[[flows]]
name = "f1"
source = "a"
destination = "b"
transport = {transport}
app = {app}
{more}
"""

NEIGHBOUR = """
[[flows]]
name = "f2"
source = "a"
destination = "b"
transport = "udp"
app = {kind = "cbr", interval = "1 s"}
"""

EACH_PICOSECOND = '{kind = "cbr", interval = "1 ps"}'
MUCH = '{kind = "cbr", rate = "8 Gbit/s"}'
LITTLE = '{kind = "cbr", rate = "1 Mbit/s"}'
LINUX = '{kind = "tcp", profile = "linux"}'
CLASSES = 'kind = "diffserv", queues = [{limit_packets = 4000000000, precedences = [{dscp = "DF"}]}]'
TRANSFERS = (
    '{kind = "transfer-sequence", packets = {kind = "constant", value = 1}, '
    'think = {kind = "constant", value = "0 s"}, connection = "persistent"}'
)


def network(
    *,
    app: str = '{kind = "bulk"}',
    transport: str = '{kind = "tcp"}',
    record: str = "",
    access: str = "",
    bottleneck: str = "",
    rate: str = "10 Gbit/s",
    narrow: str = "",
    top: str = "",
    duration: str = "1e5 s",
    more: str = "",
) -> str:
    """A flow over three links, as TOML; ``narrow`` is the rate of the second where that is another."""
    top = top or f'duration = "{duration}"' + (f"\nrecord = {{{record}}}" if record else "")
    narrow = narrow or rate
    return NETWORK.format(**locals())


def crowded(queue: str) -> str:
    """A packet each picosecond in front of a queue that holds nearly all of them."""
    return network(
        app=EACH_PICOSECOND, transport='{kind = "udp"}', access=f"queue = {{{queue}}}", rate="1 Gbit/s"
    )


def recorded(record: str, **others: str) -> str:
    """A fast flow of UDP of which something is recorded."""
    return network(app=MUCH, transport='{kind = "udp"}', record=record, **others)


def looked_at(record: str, **others: str) -> str:
    """A slow flow of UDP on links that are looked at often."""
    return network(app=LITTLE, transport='{kind = "udp"}', record=record, **others)


TUNED = (
    'kind = "red", limit_packets = 100, min_threshold_packets = 10, max_threshold_packets = 30, '
    'max_probability = 0.1, weight = 0.002, tune_by = "responsiveness", tune_interval = "50 us"'
)
EDGE = 'rules = [{of = "data", meter = {kind = "fair-excess", cir = "8 Gbit/s"}, if_red = "drop"}]'
MOST = "limit_packets = 4000000000"

RUNS = {
    "packets in flight": network(
        app=EACH_PICOSECOND, transport='{kind = "udp"}', rate="1 Gbit/s", more=NEIGHBOUR
    ),
    "packets at a port with CoDel": crowded(f'kind = "codel", {MOST}'),
    "packets at a port with FQ-CoDel": crowded(f'kind = "fq-codel", {MOST}'),
    "packets at a port with PIE": crowded(f'kind = "pie", {MOST}, target = "1e4 s"'),
    "packets at a port with DiffServ": crowded(CLASSES),
    "rates of self-similar traffic": network(
        app='{kind = "self-similar", rate = "1 Mbit/s", h = 0.8, sd = "1 kbit/s", interval = "30 ms"}',
        transport='{kind = "udp"}',
    ),
    "rows of flow_series": network(record='flow_series = {of = ["*"], interval = "100 us"}'),
    "rows of port_series": looked_at('port_series = {of = ["*"], interval = "150 us"}'),
    "rows of rtt": network(record='rtt = ["*"]', transport=LINUX),
    "rows of window": network(record='window = ["*"]', transport=LINUX),
    "rows of responsiveness": looked_at('responsiveness = {of = ["bottleneck"], interval = "150 us"}'),
    "rows of nonresponsive": looked_at(
        'nonresponsive = {of = ["*"], sampling = "240 us", propagation = "24 ms"}'
    ),
    "rows of red_tuning": looked_at(
        'port_series = {of = ["bottleneck"], interval = "1000 s"}', bottleneck=f"queue = {{{TUNED}}}"
    ),
    "rows of treatment": network(
        app=MUCH,
        transport='{kind = "udp"}',
        bottleneck='loss = {kind = "treatment", groups = [{}], block = "1 us", times = 0, floor = 0, '
        "budget = 1, goes_on = true}",
    ),
    "rows of edges": network(
        record='edges = {of = ["bottleneck"], interval = "25 us"}',
        transport=LINUX,
        bottleneck=f"conditioner = {{{EDGE}}}",
        rate="1 Gbit/s",
    ),
    "rows of class_state": recorded('class_state = ["bottleneck"]', bottleneck=f"queue = {{{CLASSES}}}"),
    "rows of transfers": network(app=TRANSFERS, record='transfers = ["*"]', duration="1e6 s"),
    "rows of packets": recorded('packets = ["*"]'),
    "rows of packets, from deliveries": recorded('deliveries = ["*"]'),
    "captured packets": recorded('pcap = ["bottleneck"]'),
    "captured packets, with comments": recorded(
        'pcap = ["bottleneck"], pcap_format = "pcapng"',
        bottleneck='queue = {kind = "droptail", limit_packets = 1}',
    ),
}
