//! An event loop for one stream, used instead of the engine's. No wait exceeds [`PATIENCE`]. The peer waits twice as
//! long, so that its close never wakes a client that sleeps by mistake.

use std::io::Read as _;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use model::{Fault, FaultKind};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::sockopt;
use wire::{Phase, Read, Stream};

const PATIENCE: Duration = Duration::from_secs(5);

/// A peer in a thread: `serve` gets the first connection.
pub(crate) fn peer<T: Send + 'static>(
    serve: impl FnOnce(TcpStream) -> T + Send + 'static,
) -> (SocketAddr, JoinHandle<T>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        socket.set_read_timeout(Some(2 * PATIENCE)).unwrap();
        socket.set_write_timeout(Some(2 * PATIENCE)).unwrap();
        serve(socket)
    });
    (address, thread)
}

/// Sleeps until the socket is ready for the stream to continue.
pub(crate) fn wait(stream: &Stream) {
    let mut flags = PollFlags::IN;
    if stream.wants_write() {
        flags |= PollFlags::OUT;
    }
    let patience = Timespec::try_from(PATIENCE).unwrap();
    let fd = stream.fd();
    let ready = poll(&mut [PollFd::new(&fd, flags)], Some(&patience)).unwrap();
    assert_eq!(ready, 1, "nothing happened on the socket");
}

pub(crate) fn open(stream: &mut Stream) -> Result<(), Fault> {
    while stream.advance()? != Phase::Open {
        wait(stream);
    }
    Ok(())
}

pub(crate) fn flushed(stream: &mut Stream) -> Result<(), Fault> {
    while stream.wants_write() {
        wait(stream);
        stream.flush()?;
    }
    Ok(())
}

/// Waits for something other than [`Read::Empty`].
pub(crate) fn read(stream: &mut Stream, buf: &mut [u8]) -> Read {
    loop {
        match stream.read(buf) {
            Read::Empty => wait(stream),
            other => return other,
        }
    }
}

/// The bytes of one read.
pub(crate) fn received(stream: &mut Stream) -> Result<Vec<u8>, Fault> {
    let mut buffer = vec![0; 16 * 1024];
    match read(stream, &mut buffer) {
        Read::Bytes(count) => buffer.truncate(count),
        Read::Failed(fault) => return Err(fault),
        other => panic!("{other:?} instead of bytes"),
    }
    Ok(buffer)
}

/// Tests that a reset and a close are distinguished, on a stream that `prepare` has prepared.
pub(crate) fn reset_and_close(prepare: impl Fn(&mut Stream)) {
    let opened = |address| {
        let mut stream = Stream::connect(address, None, None).unwrap();
        open(&mut stream).unwrap();
        prepare(&mut stream);
        stream
    };
    let (address, thread) = peer(|mut socket| {
        socket.read_exact(&mut [0; 4]).unwrap();
        // Lingering for zero seconds sends RST.
        sockopt::set_socket_linger(&socket, Some(Duration::ZERO)).unwrap();
    });
    let mut stream = opened(address);
    stream.write(b"ping").unwrap();
    match read(&mut stream, &mut [0; 16]) {
        Read::Failed(fault) => assert_eq!(fault.kind, FaultKind::Reset),
        other => panic!("{other:?}"),
    }
    thread.join().unwrap();

    let (address, thread) = peer(drop);
    let mut stream = opened(address);
    assert!(matches!(read(&mut stream, &mut [0; 16]), Read::Closed));
    thread.join().unwrap();
}
