//! The connections that a process has opened to other services, such as those of its pool to a database.
//!
//! The kernel's socket diagnostics list the connections, and the descriptors of the process tell which are its own.

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;

use procfs::process::{FDTarget, Process};

use crate::diag::{self, Connection};
use crate::port::in_our_network;

/// Maximum number of descriptors. More take too long to read.
const DESCRIPTORS: usize = 4096;

/// Counts the established connections that these processes have opened, by their other end. `port` is the port on which
/// they listen: connections to it were opened by others. `None` if the connections or the descriptors are not visible,
/// or if there are too many descriptors.
pub fn upstreams(pids: &[i32], port: u16) -> Option<BTreeMap<SocketAddr, u64>> {
    let mut own = HashSet::new();
    for pid in pids {
        if !in_our_network(*pid) {
            return None;
        }
        let process = Process::new(*pid).ok()?;
        if process.fd_count().ok()? + own.len() > DESCRIPTORS {
            return None;
        }
        let descriptors = process.fd().ok()?.filter_map(Result::ok);
        own.extend(
            descriptors.filter_map(|descriptor| match descriptor.target {
                FDTarget::Socket(inode) => Some(inode),
                _ => None,
            }),
        );
    }
    let mut found = BTreeMap::new();
    diag::each_connection(|connection: Connection| {
        if connection.local_port != port && own.contains(&connection.inode) {
            *found.entry(connection.remote).or_default() += 1;
        }
    })
    .ok()?;
    Some(found)
}
