"""A download by aioquic, a QUIC stack in Python, over a DSL line in simulated time, beside a CUBIC of the
engine's. Times and sizes are the same in each run; bytes are not, since keys are random.

pip install aioquic==1.7.2
python examples/quic/aioquic_simulated.py
"""

import ssl
import sys
from datetime import datetime, timezone
from pathlib import Path

from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.events import HandshakeCompleted, StreamDataReceived
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from parshall import Recording
from parshall.sim import Arrival, Dropped, Network, Trace

DSL = Path(__file__).parent / "dsl.toml"
PEERS = {"client": ("192.0.2.1", 5000), "server": ("192.0.2.2", 443)}


def certificate() -> tuple[x509.Certificate, Ed25519PrivateKey]:
    """Ed25519, whose signatures have one length: sizes on the wire are the same in each run."""
    key = Ed25519PrivateKey.from_private_bytes(bytes(32))
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "server")])
    begin, end = (datetime(year, 1, 1, tzinfo=timezone.utc) for year in (2020, 2120))
    made = x509.CertificateBuilder(name, name, key.public_key(), 1, begin, end)
    return made.sign(key, None), key


def download(size: int, seed: int = 1) -> tuple[float | None, Trace | None, Recording]:
    """Time at which `size` bytes have come, what was on the wire, and what the network recorded."""
    net = Network(DSL, seed=seed, trace=True)
    server_end, client_end = net.attach("quic", "server", "home")
    chain, key = certificate()
    client = QuicConnection(configuration=QuicConfiguration(verify_mode=ssl.CERT_NONE))
    server = QuicConnection(
        configuration=QuicConfiguration(is_client=False, certificate=chain, private_key=key),
        original_destination_connection_id=client.original_destination_connection_id,
    )
    ends = {client_end: (client, PEERS["server"]), server_end: (server, PEERS["client"])}
    client.connect(PEERS["server"], now=0.0)
    got, at, due = 0, 0.0, [client_end]
    while due:
        for end in due:
            connection, peer = ends[end]
            for data, _ in connection.datagrams_to_send(now=at):
                net.send(end, data)
            net.wake(end, connection.get_timer())
        event = next((event for event in net if not isinstance(event, Dropped)), None)
        if event is None:
            break
        at, due = event.at, [event.endpoint]
        connection, peer = ends[event.endpoint]
        if isinstance(event, Arrival):
            connection.receive_datagram(event.data, peer, now=at)
        else:
            connection.handle_timer(now=at)
        while (told := connection.next_event()) is not None:
            if connection is server and isinstance(told, HandshakeCompleted):
                server.send_stream_data(server.get_next_available_stream_id(), bytes(size), end_stream=True)
            elif connection is client and isinstance(told, StreamDataReceived):
                got += len(told.data)
        if got == size:
            return at, net.trace, net.finish()
    return None, net.trace, net.finish()


if __name__ == "__main__":
    took, trace, recording = download(int(sys.argv[1]) if len(sys.argv) > 1 else 4_000_000)
    print("it did not end" if took is None else f"{took:.3f} s, {trace!r}")
    for name in recording.flows:
        print(f"{name}: {recording.flow(name).goodput / 1e6:.2f} Mbit/s")
