use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, SystemTime};

use model::{Fault, FaultKind, Side};
use rcgen::{Certificate, CertificateParams, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ConfigBuilder, ServerConfig, ServerConnection, StreamOwned, WantsVerifier};
use wire::{Read, StampingOn, Stream, TlsSettings};

use crate::arrival::UNTIL_STAMPED;
use crate::drive::{flushed, open, peer, read, wait};

mod certificates;

type Secure = StreamOwned<ServerConnection, TcpStream>;

/// Starts a TLS peer for `localhost`. Also returns its certificate as PEM.
fn tls_peer<T: Send + 'static>(
    serve: impl FnOnce(&mut Secure) -> T + Send + 'static,
) -> (SocketAddr, JoinHandle<T>, String) {
    tls_peer_with(&localhost(), serve)
}

/// The contents of a certificate for `localhost`.
fn localhost() -> CertificateParams {
    CertificateParams::new(["localhost".to_owned()]).unwrap()
}

/// Starts a TLS peer that uses a certificate with these contents, signed by itself. Also returns it as PEM.
fn tls_peer_with<T: Send + 'static>(
    contents: &CertificateParams,
    serve: impl FnOnce(&mut Secure) -> T + Send + 'static,
) -> (SocketAddr, JoinHandle<T>, String) {
    let signing_key = KeyPair::generate().unwrap();
    let cert = contents.self_signed(&signing_key).unwrap();
    let (address, thread) = tls_peer_of(&cert, &signing_key, serve);
    (address, thread, cert.pem())
}

fn tls_peer_of<T: Send + 'static>(
    cert: &Certificate,
    signing_key: &KeyPair,
    serve: impl FnOnce(&mut Secure) -> T + Send + 'static,
) -> (SocketAddr, JoinHandle<T>) {
    let mut config = server()
        .with_no_client_auth()
        .with_single_cert(vec![cert.der().clone()], der(signing_key))
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    peer_with(config, serve)
}

fn server() -> ConfigBuilder<ServerConfig, WantsVerifier> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ServerConfig::builder_with_provider(provider);
    builder.with_safe_default_protocol_versions().unwrap()
}

fn der(key: &KeyPair) -> PrivateKeyDer<'static> {
    PrivateKeyDer::Pkcs8(key.serialize_der().into())
}

fn peer_with<T: Send + 'static>(
    config: ServerConfig,
    serve: impl FnOnce(&mut Secure) -> T + Send + 'static,
) -> (SocketAddr, JoinHandle<T>) {
    peer(move |socket| {
        let session = ServerConnection::new(Arc::new(config)).unwrap();
        serve(&mut StreamOwned::new(session, socket))
    })
}

fn secured(address: SocketAddr, settings: &TlsSettings, name: &str) -> Result<Stream, Fault> {
    let mut stream = Stream::connect(address, None, Some((settings, name)))?;
    open(&mut stream)?;
    Ok(stream)
}

/// Serves until the client closes the connection, which the client does after refusing the certificate.
fn until_the_end(socket: &mut Secure) {
    let _ = socket.read(&mut [0; 16]);
}

#[test]
fn a_certificate_of_an_extra_ca_is_trusted() {
    let (address, thread, pem) = tls_peer(|socket| {
        let mut got = [0; 5];
        socket.read_exact(&mut got).unwrap();
        socket.write_all(b"world").unwrap();
        socket.conn.send_close_notify();
        socket.flush().unwrap();
        let protocol = socket.conn.alpn_protocol().map(<[u8]>::to_vec);
        (got, protocol)
    });
    let settings = TlsSettings::new(false, Some(pem.as_bytes())).unwrap();
    let mut stream = Stream::connect(address, None, Some((&settings, "localhost"))).unwrap();
    stream.write(b"hel").unwrap();
    open(&mut stream).unwrap();
    stream.write(b"lo").unwrap();
    let mut buf = [0; 64];
    assert!(matches!(read(&mut stream, &mut buf), Read::Bytes(5)));
    assert_eq!(&buf[..5], b"world");
    assert!(matches!(read(&mut stream, &mut buf), Read::Closed));
    let (got, protocol) = thread.join().unwrap();
    assert_eq!(&got, b"hello");
    assert_eq!(protocol.as_deref(), Some(b"http/1.1".as_slice()));
}

#[test]
fn an_unknown_issuer_is_refused_unless_anybody_is_trusted() {
    let (address, thread, _) = tls_peer(until_the_end);
    let fault = secured(
        address,
        &TlsSettings::new(false, None).unwrap(),
        "localhost",
    )
    .unwrap_err();
    assert_eq!((fault.side, fault.kind), (Side::Target, FaultKind::Tls));
    assert!(fault.detail.contains("issuer is not trusted"), "{fault}");
    thread.join().unwrap();

    let (address, thread, _) = tls_peer(until_the_end);
    let anybody = TlsSettings::new(true, None).unwrap();
    drop(secured(address, &anybody, "any.other.name").unwrap());
    thread.join().unwrap();
}

#[test]
fn a_certificate_for_another_name_is_refused() {
    let (address, thread, pem) = tls_peer(until_the_end);
    let settings = TlsSettings::new(false, Some(pem.as_bytes())).unwrap();
    let fault = secured(address, &settings, "other.test").unwrap_err();
    assert_eq!(fault.kind, FaultKind::Tls);
    assert!(fault.detail.contains("for another name"), "{fault}");
    assert!(fault.detail.contains("localhost"), "{fault}");
    thread.join().unwrap();
}

#[test]
fn a_peer_without_tls_is_called_so() {
    let (address, thread) = peer(|mut socket| {
        socket
            .write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n")
            .unwrap();
        let _ = socket.read_to_end(&mut Vec::new());
    });
    let settings = TlsSettings::new(true, None).unwrap();
    let fault = secured(address, &settings, "localhost").unwrap_err();
    assert_eq!(fault.kind, FaultKind::Tls);
    assert_eq!(
        fault.detail,
        "the peer does not speak TLS: write http:// or ws:// in the URL"
    );
    thread.join().unwrap();

    let (address, thread) = peer(|mut socket| {
        let _ = socket.read(&mut [0; 4096]);
    });
    let fault = secured(address, &settings, "localhost").unwrap_err();
    assert!(
        matches!(fault.kind, FaultKind::Tls | FaultKind::Reset),
        "{fault}"
    );
    thread.join().unwrap();
}

#[test]
fn records_that_are_here_already_are_read_before_the_stream_is_empty() {
    const SIZE: usize = 100_000;
    let (address, thread, pem) = tls_peer(|socket| {
        socket.write_all(&vec![7; SIZE]).unwrap();
        socket.flush().unwrap();
        until_the_end(socket);
    });
    let settings = TlsSettings::new(false, Some(pem.as_bytes())).unwrap();
    let mut stream = secured(address, &settings, "localhost").unwrap();
    let mut buf = [0; 1000];
    let mut total = 0;
    while total < SIZE {
        match stream.read(&mut buf) {
            // Callers rely on this: after a read that does not fill the buffer, no data is left in
            // memory. So this wait for the socket must end.
            Read::Bytes(count) => {
                total += count;
                if count < buf.len() && total < SIZE {
                    wait(&stream);
                }
            }
            Read::Empty => wait(&stream),
            other => panic!("{other:?} after {total}"),
        }
    }
    assert_eq!(total, SIZE);
    drop(stream);
    thread.join().unwrap();
}

/// Sends `world` and then `rest` in one segment, and keeps the connection open. The client has said `hello` before.
fn world_and(rest: impl FnOnce(&mut Secure) -> Vec<u8>) -> impl FnOnce(&mut Secure) {
    move |socket| {
        socket.read_exact(&mut [0; 5]).unwrap();
        socket.conn.writer().write_all(b"world").unwrap();
        let mut bytes = Vec::new();
        socket.conn.write_tls(&mut bytes).unwrap();
        bytes.extend(rest(socket));
        socket.sock.write_all(&bytes).unwrap();
        until_the_end(socket);
    }
}

/// Reads `world`. The test then reads again without waiting, because the socket stays silent.
fn read_world(stream: &mut Stream) {
    stream.write(b"hello").unwrap();
    let mut buf = [0; 64];
    assert!(matches!(read(stream, &mut buf), Read::Bytes(5)));
    assert_eq!(&buf[..5], b"world");
    assert!(stream.holds_more());
}

#[test]
fn a_fault_after_bytes_of_the_same_segment_is_returned_by_the_next_read() {
    let (address, thread, pem) = tls_peer(world_and(|_| {
        let mut record = vec![23, 3, 3, 0, 20]; // application data that no key decrypts
        record.extend([7; 20]);
        record
    }));
    let settings = TlsSettings::new(false, Some(pem.as_bytes())).unwrap();
    let mut stream = secured(address, &settings, "localhost").unwrap();
    read_world(&mut stream);
    match stream.read(&mut [0; 64]) {
        Read::Failed(fault) => assert_eq!(fault.kind, FaultKind::Tls, "{fault}"),
        other => panic!("{other:?}"),
    }
    drop(stream);
    thread.join().unwrap();
}

#[test]
fn an_end_after_bytes_of_the_same_segment_is_returned_by_the_next_read() {
    let (address, thread, pem) = tls_peer(world_and(|socket| {
        socket.conn.send_close_notify();
        let mut alert = Vec::new();
        socket.conn.write_tls(&mut alert).unwrap();
        alert
    }));
    let settings = TlsSettings::new(false, Some(pem.as_bytes())).unwrap();
    let mut stream = secured(address, &settings, "localhost").unwrap();
    read_world(&mut stream);
    assert!(matches!(stream.read(&mut [0; 64]), Read::Closed));
    drop(stream);
    thread.join().unwrap();
}

#[test]
fn a_large_message_passes_small_buffers_both_ways() {
    const SIZE: usize = 3_000_000;
    let (address, thread, pem) = tls_peer(|socket| {
        let mut got = vec![0; SIZE];
        socket.read_exact(&mut got).unwrap();
        socket.write_all(&got).unwrap();
        socket.flush().unwrap();
        match socket.read(&mut [0]) {
            Ok(0) => {}
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => {}
            other => panic!("{other:?}"),
        }
    });
    let settings = TlsSettings::new(false, Some(pem.as_bytes())).unwrap();
    let mut stream = secured(address, &settings, "localhost").unwrap();
    rustix::net::sockopt::set_socket_send_buffer_size(stream.fd(), 4096).unwrap();
    let sent: Vec<u8> = (0..SIZE).map(|at| at.to_le_bytes()[at % 3]).collect();
    stream.write(&sent).unwrap();
    assert!(stream.wants_write());
    flushed(&mut stream).unwrap();
    let mut got = Vec::new();
    let mut buf = vec![0; 256 * 1024];
    while got.len() < SIZE {
        match read(&mut stream, &mut buf) {
            Read::Bytes(count) => got.extend_from_slice(&buf[..count]),
            other => panic!("{other:?}"),
        }
    }
    assert!(got == sent, "bytes differ");
    drop(stream);
    thread.join().unwrap();
}

#[test]
fn broken_settings_are_refused_when_they_are_made() {
    assert!(TlsSettings::new(false, Some(b"no certificate at all")).is_err());
    let settings = TlsSettings::new(true, None).unwrap();
    let address = "127.0.0.1:9".parse().unwrap();
    let fault = Stream::connect(address, None, Some((&settings, "not a name"))).unwrap_err();
    assert_eq!(fault.side, Side::Script);
}

#[test]
fn what_comes_over_tls_is_stamped_too() {
    let _on = StampingOn::new().unwrap();
    let began = SystemTime::now();
    let mut stamped = false;
    while !stamped && began.elapsed().unwrap() < UNTIL_STAMPED {
        let (address, thread, pem) = tls_peer(|socket| {
            socket.sock.set_nodelay(true).unwrap();
            let before = SystemTime::now();
            socket.write_all(b"hello").unwrap();
            socket.flush().unwrap();
            let after = SystemTime::now();
            until_the_end(socket);
            (before, after)
        });
        let settings = TlsSettings::new(false, Some(pem.as_bytes())).unwrap();
        let mut stream = Stream::connect(address, None, Some((&settings, "localhost"))).unwrap();
        stream.stamp_arrivals().unwrap();
        open(&mut stream).unwrap();
        std::thread::sleep(Duration::from_millis(10)); // the test is about a late read
        assert!(matches!(read(&mut stream, &mut [0; 64]), Read::Bytes(5)));
        let stamp = stream.arrival();
        drop(stream);
        let (before, after) = thread.join().unwrap();
        stamped = stamp.is_some();
        assert!(stamp.is_none_or(|stamp| before <= stamp && stamp <= after));
    }
    assert!(stamped, "never stamped");
}
