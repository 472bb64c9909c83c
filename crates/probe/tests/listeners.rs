//! The process that listens on an address, or a clear reason why it cannot be found.

#![expect(clippy::unwrap_used, reason = "a test ends where its premises do")]

use std::net::{SocketAddr, TcpListener};
use std::os::fd::{AsFd, OwnedFd};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

use model::Nanos;
use probe::{NotFound, SampleError, Sampler, listeners_on};

/// A child briefly inherits its parent's descriptors, until it runs another program. While one test searches for the
/// owner of a socket, no other test may start a child.
static STARTS_CHILDREN: Mutex<()> = Mutex::new(());

fn own_pid() -> i32 {
    i32::try_from(std::process::id()).unwrap()
}

fn listen(address: &str) -> (TcpListener, u16) {
    let listener = TcpListener::bind(address).unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

fn pids(address: SocketAddr) -> Vec<i32> {
    let found = listeners_on(address).unwrap_or_else(|error| panic!("{error}"));
    found.into_iter().map(|listener| listener.pid).collect()
}

#[test]
fn a_listener_is_found_with_pid_and_name() {
    let (listener, _) = listen("127.0.0.1:0");
    let found = listeners_on(listener.local_addr().unwrap()).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].pid, own_pid());
    // The name of the process is that of its main thread.
    let comm = std::fs::read_to_string("/proc/self/comm").unwrap();
    assert_eq!(found[0].name, comm.trim_end());
}

#[test]
fn a_listener_on_any_address_is_found_under_each() {
    let (_listener, port) = listen("0.0.0.0:0");
    assert_eq!(pids(SocketAddr::from(([127, 0, 0, 1], port))), [own_pid()]);
    assert_eq!(pids(SocketAddr::from(([0, 0, 0, 0], port))), [own_pid()]);
    let (_listener, port) = listen("[::]:0");
    assert_eq!(
        pids(SocketAddr::from(([127, 0, 0, 1], port))),
        [own_pid()],
        "both families"
    );
}

#[test]
fn another_address_with_the_same_port_is_another_listener() {
    let (_listener, port) = listen("127.0.0.1:0");
    let other = SocketAddr::from(([127, 0, 0, 2], port));
    assert_eq!(listeners_on(other), Err(NotFound::Nobody(other)));
}

#[test]
fn a_connection_is_no_listener() {
    let (listener, _) = listen("127.0.0.1:0");
    let client = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let address = client.local_addr().unwrap();
    assert_eq!(listeners_on(address), Err(NotFound::Nobody(address)));
}

#[test]
fn another_machine_is_not_looked_at() {
    let address: SocketAddr = "203.0.113.9:80".parse().unwrap();
    assert_eq!(
        listeners_on(address),
        Err(NotFound::Elsewhere(address.ip()))
    );
}

/// A prefork server, whose children share the socket.
#[test]
fn of_a_family_that_shares_a_socket_the_eldest_is_named() {
    let _alone = STARTS_CHILDREN
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let (listener, _) = listen("127.0.0.1:0");
    let inherited: OwnedFd = listener.as_fd().try_clone_to_owned().unwrap();
    let mut child = Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::from(inherited))
        .spawn()
        .unwrap();
    assert_eq!(pids(listener.local_addr().unwrap()), [own_pid()]);
    let address = listener.local_addr().unwrap();
    drop(listener);
    let heir = pids(address);
    drop(child.stdin.take());
    let pid = i32::try_from(child.id()).unwrap();
    child.wait().unwrap();
    assert_eq!(
        heir,
        [pid],
        "once the parent has closed it, the child is the one"
    );
}

#[test]
fn a_process_that_ends_gives_one_clear_end() {
    let _alone = STARTS_CHILDREN
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let mut child = Command::new("cat")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let pid = i32::try_from(child.id()).unwrap();
    let mut sampler = Sampler::new(pid).unwrap();
    assert!(sampler.sample(Nanos(0)).is_ok());
    child.kill().unwrap();
    // The child is not waited for yet. It ends, becomes a zombie, and then counts as ended.
    let ended = (1..1_000_000).find_map(|now| {
        std::thread::yield_now();
        sampler.sample(Nanos(now)).err()
    });
    assert_eq!(ended, Some(SampleError::Ended(pid)));
    child.wait().unwrap();
    assert_eq!(sampler.sample(Nanos(2)), Err(SampleError::Ended(pid)));
    assert_eq!(Sampler::new(pid).unwrap_err(), SampleError::Ended(pid));
}
