//! A transfer by QUIC from a client to a server, both in this process, over whatever relays datagrams between them.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use quinn::congestion::ControllerFactory;
use quinn::{ClientConfig, Endpoint, ServerConfig, TransportConfig, VarInt};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

/// A result, or the reason why there is none.
pub type Fallible<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// UDP payload of a full packet: 1500 bytes with the headers of UDP and IP.
pub const PACKET_BYTES: u16 = 1472;

/// Time that a server waits for a client, and for a stream that stands.
const PATIENCE: Duration = Duration::from_secs(60);

/// A transfer to do.
pub struct Transfer {
    /// Makes the sender's control.
    pub control: Arc<dyn ControllerFactory + Send + Sync>,
    /// Where the server listens.
    pub server: SocketAddr,
    /// Where the client sends to: the relay.
    pub relay: SocketAddr,
    /// From the first byte that arrives to the last one that counts.
    pub time: Duration,
    /// Bytes that arrive sooner do not count.
    pub warm_up: Duration,
}

/// Its outcome.
#[derive(Debug)]
pub struct Outcome {
    /// Bytes of the stream that arrived in order after the warm-up.
    pub bytes: u64,
    /// Their bits a second.
    pub goodput: f64,
    /// Packets that the sender sent.
    pub packets_sent: u64,
    /// Packets that it found lost.
    pub packets_lost: u64,
    /// Losses and marks that it noticed.
    pub congestion_events: u64,
    /// Its smoothed round trip, in seconds, at the end.
    pub srtt: f64,
}

fn runtime() -> std::io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Packets of one size, each alone in its datagram as on a wire, and windows of flow control that hold nothing back.
pub fn transport() -> TransportConfig {
    let mut transport = TransportConfig::default();
    transport.initial_mtu(PACKET_BYTES).min_mtu(PACKET_BYTES).mtu_discovery_config(None);
    let much = VarInt::from_u32(1 << 26);
    transport.receive_window(much).stream_receive_window(much).send_window(1 << 26);
    transport.enable_segmentation_offload(false);
    transport
}

fn crypto() -> Fallible<(CertificateDer<'static>, PrivatePkcs8KeyDer<'static>)> {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".into()])?;
    Ok((made.cert.der().clone(), PrivatePkcs8KeyDer::from(made.signing_key.serialize_der())))
}

impl Transfer {
    /// Does it.
    pub fn run(&self) -> Fallible<Outcome> {
        // Where a provider of cryptography is there already it is this one.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (certificate, key) = crypto()?;
        let mut config = ServerConfig::with_single_cert(vec![certificate.clone()], key.into())?;
        config.transport_config(Arc::new(transport()));
        let (address, time, warm_up) = (self.server, self.time, self.warm_up);
        let (ready, listening) = std::sync::mpsc::sync_channel(1);
        let server = thread::spawn(move || -> Fallible<u64> {
            runtime()?.block_on(async {
                let endpoint = Endpoint::server(config, address)?;
                ready.send(())?;
                // A client that gives up does not tell.
                timeout(time + PATIENCE, receive(&endpoint, time, warm_up)).await?
            })
        });
        // Where the server could not begin, its thread has the reason.
        let sent =
            if listening.recv().is_ok() { Some(runtime()?.block_on(self.send(certificate))) } else { None };
        let received = server.join().map_err(|_| "the server failed")?;
        let statistics = match sent {
            Some(sent) => sent?,
            None => return Err(received.err().unwrap_or_else(|| "the server did not begin".into())),
        };
        let bytes = received?;
        Ok(Outcome {
            bytes,
            goodput: 8.0 * bytes as f64 / (self.time - self.warm_up).as_secs_f64(),
            packets_sent: statistics.path.sent_packets,
            packets_lost: statistics.path.lost_packets,
            congestion_events: statistics.path.congestion_events,
            srtt: statistics.path.rtt.as_secs_f64(),
        })
    }

    /// Sends until the server has enough.
    async fn send(&self, certificate: CertificateDer<'static>) -> Fallible<quinn::ConnectionStats> {
        let mut roots = rustls::RootCertStore::empty();
        roots.add(certificate)?;
        let mut config = ClientConfig::with_root_certificates(Arc::new(roots))?;
        let mut transport = transport();
        transport.congestion_controller_factory(self.control.clone());
        config.transport_config(Arc::new(transport));
        let mut endpoint = Endpoint::client(SocketAddr::from(([127, 0, 0, 1], 0)))?;
        endpoint.set_default_client_config(config);
        let connection = endpoint.connect(self.relay, "localhost")?.await?;
        let mut stream = connection.open_uni().await?;
        let content = vec![0; 1 << 16];
        // The server ends the connection.
        while stream.write_all(&content).await.is_ok() {}
        let statistics = connection.stats();
        endpoint.close(VarInt::from_u32(0), b"");
        Ok(statistics)
    }
}

/// Counts what arrives.
async fn receive(endpoint: &Endpoint, time: Duration, warm_up: Duration) -> Fallible<u64> {
    let connection = endpoint.accept().await.ok_or("no connection came")?.await?;
    let mut stream = connection.accept_uni().await?;
    let (mut began, mut bytes) = (None, 0);
    while let Some(chunk) = stream.read_chunk(1 << 16, true).await? {
        let now = Instant::now();
        let since = now - *began.get_or_insert(now);
        if since >= time {
            break;
        }
        bytes += if since >= warm_up { chunk.bytes.len() as u64 } else { 0 };
    }
    connection.close(VarInt::from_u32(0), b"enough");
    endpoint.wait_idle().await;
    Ok(bytes)
}
