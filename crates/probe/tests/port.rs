//! The connections and the listen queue of a port, compared with those that the test itself opened.

#![expect(clippy::unwrap_used, reason = "a test ends where its premises do")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

use probe::{ListenQueue, NetworkCounters, look_at_port, upstreams};
use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, listen, socket_with};

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap()
}

/// Listens with this backlog, which the standard library cannot set.
fn listener(backlog: i32) -> (TcpListener, SocketAddr) {
    let socket = socket_with(
        AddressFamily::INET,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
        None,
    )
    .unwrap();
    bind(&socket, &SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
    listen(&socket, backlog).unwrap();
    let listener = TcpListener::from(socket);
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Starts to connect, without waiting.
fn knock(address: SocketAddr) -> rustix::fd::OwnedFd {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::INET, SocketType::STREAM, flags, None).unwrap();
    let begun = rustix::net::connect(&socket, &address);
    assert!(
        matches!(begun, Ok(()) | Err(Errno::INPROGRESS)),
        "{begun:?}"
    );
    socket
}

#[test]
fn connections_and_the_queue_are_counted() {
    let (listener, address) = listener(16);
    let look = || look_at_port(own_pid(), address.port()).unwrap();
    let queue = |length| {
        Some(ListenQueue {
            length,
            limit: Some(16),
        })
    };
    assert_eq!((look().connections, look().queue), (0, queue(0)));
    let clients: Vec<TcpStream> = (0..5)
        .map(|_| TcpStream::connect(address).unwrap())
        .collect();
    let accepted: Vec<_> = (0..2).map(|_| listener.accept().unwrap()).collect();
    let seen = look();
    assert_eq!(
        (seen.connections, seen.queue),
        (5, queue(3)),
        "two were accepted, and our own ends are of other ports"
    );
    assert!(!seen.queue.unwrap().is_full());
    drop((clients, accepted));
}

#[test]
fn a_full_queue_is_full_and_its_overflows_are_counted() {
    let (_listener, address) = listener(4);
    let before = NetworkCounters::of(own_pid()).unwrap();
    // The kernel accepts one connection more than the limit. Loopback connects during the call, so all have arrived.
    let knocking: Vec<_> = (0..8).map(|_| knock(address)).collect();
    let queue = look_at_port(own_pid(), address.port())
        .unwrap()
        .queue
        .unwrap();
    assert_eq!((queue.length, queue.limit), (5, Some(4)));
    assert!(queue.is_full());
    let since = NetworkCounters::of(own_pid()).unwrap().since(before);
    assert!(since.listen_overflows >= Some(3), "{since:?}");
    drop(knocking);
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "the test gives up after a time limit of its own"
)]
fn a_receiver_that_does_not_read_limits_its_connection_and_no_other() {
    let (listener, address) = listener(4);
    let slow = TcpStream::connect(address).unwrap();
    let (mut to_slow, _) = listener.accept().unwrap();
    let mut quick = TcpStream::connect(address).unwrap();
    let (mut to_quick, _) = listener.accept().unwrap();
    to_slow.set_nonblocking(true).unwrap();
    let piece = vec![0; 65_536];
    while to_slow.write(&piece).is_ok() {} // until the buffers of both ends are full
    to_quick.write_all(b"hello").unwrap();
    quick.read_exact(&mut [0; 5]).unwrap();
    let until = Instant::now() + Duration::from_secs(10);
    let limited = loop {
        let look = look_at_port(own_pid(), address.port()).unwrap();
        let limited = look.window_limited.unwrap();
        let time = limited.get(&slow.local_addr().unwrap());
        if time.is_some_and(|time| *time >= Duration::from_millis(50)) {
            break limited;
        }
        assert!(Instant::now() < until, "{limited:?}");
    };
    assert!(!limited.contains_key(&quick.local_addr().unwrap()));
}

#[test]
fn nobody_listens_on_a_port_that_is_free() {
    let (listener, address) = listener(1);
    drop(listener);
    let look = look_at_port(own_pid(), address.port()).unwrap();
    assert_eq!((look.connections, look.queue), (0, None));
}

#[test]
fn a_listener_of_the_other_family_is_seen_too() {
    let listener = TcpListener::bind("[::1]:0").unwrap();
    let address = listener.local_addr().unwrap();
    let _client = TcpStream::connect(address).unwrap();
    let look = look_at_port(own_pid(), address.port()).unwrap();
    assert_eq!(look.connections, 1);
    assert_eq!(look.queue.map(|queue| queue.length), Some(1));
}

#[test]
fn connections_that_the_process_opened_are_counted_by_their_other_end() {
    let (_one, first) = listener(8);
    let (_other, second) = listener(8);
    let sockets: Vec<TcpStream> = [first, second, second]
        .into_iter()
        .map(|address| TcpStream::connect(address).unwrap())
        .collect();
    let found = upstreams(&[own_pid()], first.port()).unwrap();
    assert_eq!((found[&first], found[&second]), (1, 2), "{found:?}");
    // The accepted ends have the port of the listener.
    let own: Vec<SocketAddr> = sockets
        .iter()
        .map(|one| one.local_addr().unwrap())
        .collect();
    assert!(!found.contains_key(&own[0]), "{found:?}");
    drop(sockets);
    let after = upstreams(&[own_pid()], first.port()).unwrap();
    assert!(!after.contains_key(&second), "{after:?}");
}
