//! A certificate for tests, and configurations that know it.

use std::sync::Arc;

use quinn_proto::crypto::rustls::{QuicClientConfig, QuicServerConfig};
use quinn_proto::rustls::crypto::ring;
use quinn_proto::rustls::pki_types::PrivatePkcs8KeyDer;
use quinn_proto::rustls::version::TLS13;
use quinn_proto::rustls::{self, RootCertStore};
use quinn_proto::{ClientConfig, ServerConfig};
use rcgen::{CertificateParams, KeyPair, SerialNumber, PKCS_ED25519};

use super::SimError;

/// The name for which the certificate of [`configs`] is made.
pub const SERVER_NAME: &str = "localhost";

/// Configurations of a client and a server that trust each other, with quinn's defaults.
///
/// The server's certificate is made at each call, signs itself, and is for tests only: its key never leaves the process, and
/// nobody else should trust it. Key, signature and serial number always have the same length, so that the datagrams of a handshake
/// have the same sizes in each run, which those of an ECDSA certificate do not have.
///
/// # Errors
/// If the certificate cannot be made.
pub fn configs() -> Result<(ClientConfig, ServerConfig), SimError> {
    made().map_err(|fault| SimError::Setup(format!("certificate for tests: {fault}")))
}

fn made() -> Result<(ClientConfig, ServerConfig), Box<dyn std::error::Error>> {
    let key = KeyPair::generate_for(&PKCS_ED25519)?;
    let mut params = CertificateParams::new(vec![SERVER_NAME.into()])?;
    // One that is taken from the key has a byte less in one case of 128.
    params.serial_number = Some(SerialNumber::from(vec![1]));
    let certificate = params.self_signed(&key)?;
    let private = PrivatePkcs8KeyDer::from(key.serialize_der());
    let provider = Arc::new(ring::default_provider());

    let mut server = rustls::ServerConfig::builder_with_provider(provider.clone())
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], private.into())?;
    server.max_early_data_size = u32::MAX;

    let mut roots = RootCertStore::empty();
    roots.add(certificate.der().clone())?;
    let mut client = rustls::ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    client.enable_early_data = true;

    Ok((
        ClientConfig::new(Arc::new(QuicClientConfig::try_from(client)?)),
        ServerConfig::with_crypto(Arc::new(QuicServerConfig::try_from(server)?)),
    ))
}
