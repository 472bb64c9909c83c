//! Finds the process that listens on an address.
//!
//! The inode of the socket comes from the kernel's socket diagnostics, or from `/proc/net/tcp{,6}` if they are not
//! available. The process is the one that has this socket among its descriptors.
//!
//! Only this machine and this network namespace are visible. If a proxy forwards a port into a container, the result is
//! the proxy.

mod local;

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};

use procfs::net::TcpState;
use procfs::process::{FDTarget, Process, all_processes};
use thiserror::Error;

use crate::diag::{self, Socket};

/// A listening process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listener {
    /// The process id.
    pub pid: i32,
    /// The name as the kernel stores it: at most 15 bytes.
    pub name: String,
}

/// The reason why no process was found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NotFound {
    /// The address belongs to another machine.
    #[error("{0} is not an address of this machine")]
    Elsewhere(IpAddr),
    /// No socket listens on the address.
    #[error("nothing listens on {0}")]
    Nobody(SocketAddr),
    /// The socket exists, but its process is not visible.
    #[error("the process that listens on {0} belongs to another user or process namespace")]
    Hidden(SocketAddr),
    /// `/proc/net` cannot be read.
    #[error("cannot list sockets: {0}")]
    Unreadable(String),
}

/// The processes that listen on an address, oldest first. The list is never empty.
///
/// If a process shares the socket with its descendants (a prefork server), only the ancestor is returned:
/// [`Sampler`](crate::Sampler) follows its descendants anyway.
pub fn listeners_on(address: SocketAddr) -> Result<Vec<Listener>, NotFound> {
    if !local::is_local(address.ip()) {
        return Err(NotFound::Elsewhere(address.ip()));
    }
    let inodes = listening_inodes(address)?;
    if inodes.is_empty() {
        return Err(NotFound::Nobody(address));
    }
    let eldest = eldest_owners(&inodes);
    if eldest.is_empty() {
        return Err(NotFound::Hidden(address));
    }
    Ok(eldest)
}

fn listening_inodes(address: SocketAddr) -> Result<HashSet<u64>, NotFound> {
    let mut inodes = HashSet::new();
    let asked = diag::each_listener(address.port(), |socket| {
        if let Socket::Listener { local, inode, .. } = socket
            && accepts(local, address)
        {
            inodes.insert(inode);
        }
    });
    match asked {
        Ok(()) => Ok(inodes),
        Err(_) => inodes_in_proc(address),
    }
}

fn inodes_in_proc(address: SocketAddr) -> Result<HashSet<u64>, NotFound> {
    let unreadable = |error: procfs::ProcError| NotFound::Unreadable(error.to_string());
    // A kernel without IPv6 has no file tcp6.
    let v6 = procfs::net::tcp6().unwrap_or_default();
    let entries = procfs::net::tcp()
        .map_err(unreadable)?
        .into_iter()
        .chain(v6);
    let listening = entries
        .filter(|entry| entry.state == TcpState::Listen && accepts(entry.local_address, address));
    Ok(listening.map(|entry| entry.inode).collect())
}

/// Whether a listener bound to `bound` can receive a connection to `address`.
fn accepts(bound: SocketAddr, address: SocketAddr) -> bool {
    let (here, there) = (bound.ip().to_canonical(), address.ip().to_canonical());
    // `[::]` also accepts IPv4, unless the socket is IPv6-only, which /proc does not show.
    let any = here.is_unspecified() && (here.is_ipv6() || there.is_ipv4());
    bound.port() == address.port() && (any || here == there || there.is_unspecified())
}

struct Owner {
    started: u64,
    parent: i32,
    listener: Listener,
}

fn eldest_owners(inodes: &HashSet<u64>) -> Vec<Listener> {
    let mut owners: Vec<Owner> = all_processes()
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .filter(|process| owns(process, inodes))
        .filter_map(|process| process.stat().ok())
        .map(|stat| Owner {
            started: stat.starttime,
            parent: stat.ppid,
            listener: Listener {
                pid: stat.pid,
                name: stat.comm,
            },
        })
        .collect();
    owners.sort_by_key(|owner| (owner.started, owner.listener.pid));
    let pids: HashSet<i32> = owners.iter().map(|owner| owner.listener.pid).collect();
    owners
        .into_iter()
        .filter(|owner| !pids.contains(&owner.parent))
        .map(|owner| owner.listener)
        .collect()
}

/// Whether the process has one of the sockets. A process whose descriptors are not visible counts as having none.
fn owns(process: &Process, inodes: &HashSet<u64>) -> bool {
    process
        .fd()
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .any(|fd| matches!(fd.target, FDTarget::Socket(inode) if inodes.contains(&inode)))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn the_socket_diagnostics_and_proc_name_the_same_listeners() {
        for bound in ["127.0.0.1:0", "0.0.0.0:0", "[::1]:0", "[::]:0"] {
            let listener = TcpListener::bind(bound).unwrap_or_else(|why| panic!("{bound}: {why}"));
            let address = listener
                .local_addr()
                .unwrap_or_else(|why| panic!("{bound}: {why}"));
            let asked = listening_inodes(address);
            assert_eq!(asked, inodes_in_proc(address), "{bound}");
            assert_eq!(asked.map(|inodes| inodes.len()), Ok(1), "{bound}");
        }
    }
}
