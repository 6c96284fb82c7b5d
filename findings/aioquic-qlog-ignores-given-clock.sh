#!/usr/bin/env bash
# aioquic 1.7.2 (PyPI): the times of its qlog when a simulation drives the connection.
#
# Guess:  an event has the time that the caller gave. QuicConnection does no input or output and reads no clock: each call
#         that needs the time takes it as `now`.
# Seen:   QuicLogger reads the computer's clock. Twenty exchanges over a path of 100 ms are 0.01 s in the qlog, while the
#         round-trip time in the same qlog's events, counted from `now`, is 100 ms.
# So:     rates and round trips computed from such a qlog's times are those of the computer, not of the path.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check aioquic==1.7.2 cryptography==50.0.2
"$work/venv/bin/python" - <<'PY'
import datetime
import ssl
import sys

from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.connection import QuicConnection
from aioquic.quic.logger import QuicLogger
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

key = ec.generate_private_key(ec.SECP256R1())
name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "server")])
today, day = datetime.datetime.now(datetime.timezone.utc), datetime.timedelta(days=1)
certificate = x509.CertificateBuilder(name, name, key.public_key(), 1, today - day, today + day).sign(key, hashes.SHA256())

log = QuicLogger()
of_client = QuicConfiguration(alpn_protocols=["x"], verify_mode=ssl.CERT_NONE, quic_logger=log)
client = QuicConnection(configuration=of_client)
of_server = QuicConfiguration(is_client=False, alpn_protocols=["x"], certificate=certificate, private_key=key)
server_address, client_address = ("192.0.2.2", 443), ("192.0.2.1", 4000)
client.connect(server_address, now=1000.0)
server = QuicConnection(configuration=of_server, original_destination_connection_id=client.original_destination_connection_id)
one_way, exchanges = 0.05, 20
for exchange in range(exchanges):
    now = 1000.0 + 2 * one_way * exchange
    if exchange > 3:
        client.send_ping(exchange)
    for data, _ in client.datagrams_to_send(now=now):
        server.receive_datagram(data, client_address, now=now + one_way)
    for data, _ in server.datagrams_to_send(now=now + one_way):
        client.receive_datagram(data, server_address, now=now + 2 * one_way)

events = log.to_dict()["traces"][0]["events"]
round_trips = [event["data"]["latest_rtt"] for event in events if "latest_rtt" in event["data"]]
length = events[-1]["time"] - events[0]["time"]
given = 2000 * one_way * exchanges
print(f"aioquic 1.7.2: {given:.0f} ms by the given clock; the qlog's events span {length:.1f} ms, its latest_rtt is {round_trips[-1]:.1f} ms")
on_given_clock = abs(events[0]["time"] - 1000e3) < given or length > given * 0.9
if on_given_clock or abs(round_trips[-1] - 100) > 1:
    sys.exit("aioquic's qlog no longer takes its times from the computer's clock")
PY
