//! A port that a process listens on: its established connections, and how full its listen queue is.
//!
//! Asked of the kernel's socket diagnostics (what `ss` uses), which shows the length and the limit of a listen queue
//! and lists the sockets of one port only. Where they do not answer, or the process lives in another network
//! namespace, from `/proc/PID/net/tcp{,6}`, which has no limit and lists every socket there is.

use procfs::net::TcpState;
use procfs::process::Process;

use crate::diag::{self, Socket};

/// What is known of a port at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortLook {
    /// Established connections to it, those that wait to be accepted included.
    pub connections: u64,
    /// The queue of connections that wait to be accepted, of the listener whose queue is fullest; `None` when nobody
    /// listens.
    pub queue: Option<ListenQueue>,
}

/// The queue of one listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListenQueue {
    /// Connections that wait to be accepted.
    pub length: u64,
    /// What `listen` was called with, at most `net.core.somaxconn`; `None` where the kernel does not say.
    pub limit: Option<u64>,
}

impl ListenQueue {
    /// Whether the next connection does not fit in: the kernel takes one more than the limit.
    pub fn is_full(self) -> bool {
        self.limit.is_some_and(|limit| self.length > limit)
    }

    /// By how much of its limit it is filled; without one, by its length alone.
    fn fill(self) -> (f64, u64) {
        let share = self
            .limit
            .map_or(0.0, |limit| self.length as f64 / limit.max(1) as f64);
        (share, self.length)
    }
}

/// Looks at a port in the network namespace of a process. `None` where neither way is open.
pub fn look_at_port(pid: i32, port: u16) -> Option<PortLook> {
    let mut look = PortLook::default();
    let asked = in_our_network(pid) && diag::each_socket(port, |socket| look.see(socket)).is_ok();
    if asked {
        Some(look)
    } else {
        from_proc(pid, port)
    }
}

/// Only the listen queue, which costs little however many connections there are: for many looks a second. `None`
/// where the socket diagnostics do not answer, and when nobody listens.
pub fn look_at_queue(pid: i32, port: u16) -> Option<ListenQueue> {
    if !in_our_network(pid) {
        return None;
    }
    let mut look = PortLook::default();
    diag::each_listener(port, |socket| look.see(socket)).ok()?;
    look.queue
}

/// Whether the process has the same network namespace as we.
fn in_our_network(pid: i32) -> bool {
    let namespace = |of: String| std::fs::read_link(format!("/proc/{of}/ns/net")).ok();
    let ours = namespace("self".to_owned());
    ours.is_some() && ours == namespace(pid.to_string())
}

fn from_proc(pid: i32, port: u16) -> Option<PortLook> {
    let process = Process::new(pid).ok()?;
    // A kernel without IPv6 has no tcp6.
    let v6 = process.tcp6().unwrap_or_default();
    let mut look = PortLook::default();
    for entry in process.tcp().ok()?.into_iter().chain(v6) {
        if entry.local_address.port() != port {
            continue;
        }
        match entry.state {
            TcpState::Established => look.connections += 1,
            // Of a listener this is the length of its queue; its limit is not shown.
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
            Socket::Connection => self.connections += 1,
            Socket::Listener { waiting, limit, .. } => self.see_queue(ListenQueue {
                length: waiting,
                limit: Some(limit),
            }),
        }
    }

    fn see_queue(&mut self, queue: ListenQueue) {
        let fuller = self.queue.is_none_or(|known| queue.fill() > known.fill());
        if fuller {
            self.queue = Some(queue);
        }
    }
}
