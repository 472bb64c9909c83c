//! A loop for one stream, in place of the engine's. Nothing waits longer than [`PATIENCE`]; the peer
//! twice as long, so that its going away never wakes a client that slept wrongly.

use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread::JoinHandle;
use std::time::Duration;

use model::Fault;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
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

/// Sleeps until the socket is ready for what the stream wants.
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
