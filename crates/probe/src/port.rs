//! A port on which a process listens: its established connections and its listen queue.
//!
//! The figures come from the kernel's socket diagnostics, which `ss` also uses. They show the length and the limit of a
//! listen queue and list only the sockets of one port. If they are not available, or if the process is in another
//! network namespace, the source is `/proc/PID/net/tcp{,6}`, which has no limit and lists all sockets.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::time::Duration;

use procfs::net::TcpState;
use procfs::process::Process;

use crate::diag::{self, Socket};

/// The state of a port at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortLook {
    /// Number of established connections, including those that wait to be accepted.
    pub connections: u64,
    /// The fullest accept queue among the listeners on this port. `None` without a listener.
    pub queue: Option<ListenQueue>,
    /// The connections whose receiver did not always read fast enough, by their other end: the total time for which data
    /// waited because the receiver's window was full. `None` if the kernel does not tell.
    pub window_limited: Option<HashMap<SocketAddr, Duration>>,
}

/// The accept queue of one listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenQueue {
    /// Number of connections that wait to be accepted.
    pub length: u64,
    /// The backlog passed to `listen`, at most `net.core.somaxconn`. `None` if the kernel does not show it.
    pub limit: Option<u64>,
}

impl ListenQueue {
    /// Whether the queue is full. The kernel queues one connection more than the limit.
    pub fn is_full(self) -> bool {
        self.limit.is_some_and(|limit| self.length > limit)
    }

    /// The fill level for comparisons: the share of the limit, then the length. Without a limit, only the length.
    fn fill(self) -> (f64, u64) {
        let share = self
            .limit
            .map_or(0.0, |limit| self.length as f64 / limit.max(1) as f64);
        (share, self.length)
    }
}

/// Reads the state of a port in the network namespace of a process. `None` if neither source is available.
pub fn look_at_port(pid: i32, port: u16) -> Option<PortLook> {
    let mut look = PortLook::default();
    let asked = in_our_network(pid) && diag::each_socket(port, |socket| look.see(socket)).is_ok();
    if asked {
        Some(look)
    } else {
        from_proc(pid, port)
    }
}

/// Reads only the listen queue. The cost does not depend on the number of connections, so it can be read many times per
/// second. `None` if the socket diagnostics are not available, or if there is no listener.
pub fn look_at_queue(pid: i32, port: u16) -> Option<ListenQueue> {
    if !in_our_network(pid) {
        return None;
    }
    let mut look = PortLook::default();
    diag::each_listener(port, |socket| look.see(socket)).ok()?;
    look.queue
}

/// Whether the process is in the network namespace of headcount.
pub(crate) fn in_our_network(pid: i32) -> bool {
    let namespace = |of: String| std::fs::read_link(format!("/proc/{of}/ns/net")).ok();
    let ours = namespace("self".to_owned());
    ours.is_some() && ours == namespace(pid.to_string())
}

fn from_proc(pid: i32, port: u16) -> Option<PortLook> {
    let process = Process::new(pid).ok()?;
    // A kernel without IPv6 has no file tcp6.
    let v6 = process.tcp6().unwrap_or_default();
    let mut look = PortLook::default();
    for entry in process.tcp().ok()?.into_iter().chain(v6) {
        if entry.local_address.port() != port {
            continue;
        }
        match entry.state {
            TcpState::Established => look.connections += 1,
            // For a listener, `rx_queue` is the length of its accept queue. `/proc` does not show the limit.
            TcpState::Listen => look.see_queue(ListenQueue {
                length: entry.rx_queue.into(),
                limit: None,
            }),
            _ => {}
        }
    }
    Some(look)
}

impl PortLook {
    fn see(&mut self, socket: Socket) {
        match socket {
            Socket::Connection {
                remote,
                window_limited,
            } => {
                self.connections += 1;
                self.see_window(remote, window_limited);
            }
            Socket::Listener { waiting, limit, .. } => self.see_queue(ListenQueue {
                length: waiting,
                limit: Some(limit),
            }),
        }
    }

    fn see_window(&mut self, remote: SocketAddr, window_limited: Option<Duration>) {
        let Some(time) = window_limited else { return };
        let known = self.window_limited.get_or_insert_default();
        if !time.is_zero() {
            known.insert(remote, time);
        }
    }

    fn see_queue(&mut self, queue: ListenQueue) {
        let fuller = self.queue.is_none_or(|known| queue.fill() > known.fill());
        if fuller {
            self.queue = Some(queue);
        }
    }
}
