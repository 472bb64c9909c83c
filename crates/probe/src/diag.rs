//! Socket diagnostics (`NETLINK_SOCK_DIAG`), as described in `linux/inet_diag.h` and `linux/netlink.h`. A request
//! selects the TCP sockets of one address family by their state and their local port. The kernel responds with one
//! message per socket.
//!
//! `/proc/net/tcp` is slower, because it lists all sockets: 50,000 sockets in `TIME_WAIT` take a tenth of a second.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::os::fd::OwnedFd;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::netlink::{self, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use rustix::net::{recv, sendto, socket_with};
use thiserror::Error;

/// The reason why the kernel's socket diagnostics are not available.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(crate) enum DiagError {
    /// A system call failed.
    #[error("socket diagnostics: {0}")]
    Refused(#[from] rustix::io::Errno),
    /// The kernel responded with an error: the module is missing, or the request is not permitted.
    #[error("socket diagnostics: error {0}")]
    Unsupported(i32),
    /// The response is truncated, too long or missing.
    #[error("socket diagnostics: invalid or missing response")]
    Damaged,
}

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
/// `NLM_F_REQUEST | NLM_F_DUMP`
const REQUEST_DUMP: u16 = 0x301;
const IPPROTO_TCP: u8 = 6;
const ESTABLISHED: u8 = 1;
const LISTEN: u8 = 10;
const HEADER: usize = 16;
const FAMILY_INET: u8 = 2;
/// Offsets in `struct inet_diag_msg`, after the header. Its fields: family, state, timer, retransmissions, then
/// `inet_diag_sockid` of 48 bytes (both ports, both addresses, …), the timer's time, both queues, the user, the inode.
const PORT_AT: usize = HEADER + 4;
const REMOTE_PORT_AT: usize = HEADER + 6;
const ADDRESS_AT: usize = HEADER + 8;
const REMOTE_ADDRESS_AT: usize = HEADER + 24;
const QUEUES_AT: usize = HEADER + 4 + 48 + 4;
const INODE_AT: usize = QUEUES_AT + 12;
/// The attributes follow the structure, each with its length and its kind.
const ATTRIBUTES_AT: usize = INODE_AT + 4;
const ATTRIBUTE_HEADER: usize = 4;
/// `INET_DIAG_INFO`, whose value is `struct tcp_info`.
const TCP_INFO: u16 = 2;
/// The bit of a request that asks for it.
const ASK_TCP_INFO: u8 = 1 << (TCP_INFO - 1);
/// Offset of `tcpi_rwnd_limited` in `struct tcp_info`, in microseconds.
const WINDOW_LIMITED_AT: usize = 176;
/// Maximum number of reads: more than any number of sockets needs. The limit guarantees that the loop ends.
const ROUNDS: u32 = 100_000;

/// One socket that the kernel reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Socket {
    /// An established connection.
    Connection {
        /// The other end.
        remote: SocketAddr,
        /// The total time for which data waited because the receiver's window was full: the receiver did not read fast
        /// enough. `None` if the kernel does not tell.
        window_limited: Option<Duration>,
    },
    /// A listening socket.
    Listener {
        /// The address to which the socket is bound.
        local: SocketAddr,
        /// The socket's inode, which identifies the socket among the descriptors in `/proc/PID/fd`.
        inode: u64,
        /// Number of connections that wait to be accepted.
        waiting: u64,
        /// Maximum number of connections that may wait.
        limit: u64,
    },
}

/// One established connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Connection {
    /// The port on this machine.
    pub(crate) local_port: u16,
    /// The other end.
    pub(crate) remote: SocketAddr,
    /// The socket's inode.
    pub(crate) inode: u64,
}

/// Calls `see` for every established connection of the machine.
pub(crate) fn each_connection(mut see: impl FnMut(Connection)) -> Result<(), DiagError> {
    each((0, 1 << ESTABLISHED, 0), |message| {
        see(read_connection(message)?);
        Ok(())
    })
}

/// Calls `see` for every connection to the port and every listener on it.
pub(crate) fn each_socket(port: u16, mut see: impl FnMut(Socket)) -> Result<(), DiagError> {
    let states = 1 << ESTABLISHED | 1 << LISTEN;
    each((port, states, ASK_TCP_INFO), |message| {
        read_socket(message, port, &mut see)
    })
}

/// Calls `see` for every listener on the port. This is cheaper than [`each_socket`], because the kernel does not visit
/// the port's connections.
pub(crate) fn each_listener(port: u16, mut see: impl FnMut(Socket)) -> Result<(), DiagError> {
    each((port, 1 << LISTEN, 0), |message| {
        read_socket(message, port, &mut see)
    })
}

/// What a request asks for: sockets with this local port (0: any), in these states, with these attributes.
type Wanted = (u16, u32, u8);

/// Queries both address families, because an IPv6 socket may have IPv4 connections. Calls `read` for each message about
/// a wanted socket.
fn each(
    wanted: Wanted,
    mut read: impl FnMut(&[u8]) -> Result<(), DiagError>,
) -> Result<(), DiagError> {
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    )?;
    for family in [AddressFamily::INET, AddressFamily::INET6] {
        ask(&socket, family, wanted)?;
        read_answers(&socket, &mut read)?;
    }
    Ok(())
}

fn ask(
    socket: &OwnedFd,
    family: AddressFamily,
    (port, states, attributes): Wanted,
) -> Result<(), DiagError> {
    let mut request = Vec::with_capacity(72);
    request.extend(72_u32.to_ne_bytes());
    request.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    request.extend(REQUEST_DUMP.to_ne_bytes());
    request.extend([0; 8]); // sequence and sender are not needed: there is one request at a time
    let family = u8::try_from(family.as_raw()).map_err(|_| DiagError::Damaged)?;
    request.extend([family, IPPROTO_TCP, attributes, 0]);
    request.extend(states.to_ne_bytes());
    request.extend(port.to_be_bytes()); // restricts the dump to this local port
    request.extend([0; 2 + 32 + 4]); // any other port, addresses, interface
    request.extend([0xff; 8]); // INET_DIAG_NOCOOKIE
    let kernel = SocketAddrNetlink::new(0, 0);
    sendto(socket, &request, SendFlags::empty(), &kernel)?;
    Ok(())
}

fn read_answers(
    socket: &OwnedFd,
    read: &mut impl FnMut(&[u8]) -> Result<(), DiagError>,
) -> Result<(), DiagError> {
    let mut buffer = vec![0; 64 * 1024];
    for _ in 0..ROUNDS {
        let mut ready = [PollFd::new(socket, PollFlags::IN)];
        let patience = Timespec {
            tv_sec: 1,
            tv_nsec: 0,
        };
        if poll(&mut ready, Some(&patience))? == 0 {
            return Err(DiagError::Damaged);
        }
        let (length, _) = recv(socket, &mut buffer[..], RecvFlags::empty())?;
        if read_messages(&buffer[..length.min(64 * 1024)], read)? {
            return Ok(());
        }
    }
    Err(DiagError::Damaged)
}

/// Reads the messages of one datagram. Returns whether the last message was among them.
fn read_messages(
    mut bytes: &[u8],
    read: &mut impl FnMut(&[u8]) -> Result<(), DiagError>,
) -> Result<bool, DiagError> {
    while !bytes.is_empty() {
        let length = word(bytes, 0)? as usize;
        let kind = half(bytes, 4)?;
        if length < HEADER || length > bytes.len() {
            return Err(DiagError::Damaged);
        }
        let (message, _) = bytes.split_at(length);
        match kind {
            NLMSG_DONE => return Ok(true),
            NLMSG_ERROR => {
                return Err(DiagError::Unsupported(word(message, HEADER)?.cast_signed()));
            }
            SOCK_DIAG_BY_FAMILY => read(message)?,
            _ => {}
        }
        // Messages are aligned to four bytes.
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(false)
}

fn read_socket(message: &[u8], port: u16, see: &mut impl FnMut(Socket)) -> Result<(), DiagError> {
    if slice(message, PORT_AT)? != port.to_be_bytes() {
        return Ok(());
    }
    let [family, state] = slice(message, HEADER)?;
    match state {
        ESTABLISHED => see(Socket::Connection {
            remote: remote(message, family)?,
            window_limited: window_limited(message),
        }),
        LISTEN => see(Socket::Listener {
            local: SocketAddr::new(address(message, ADDRESS_AT, family)?, port),
            inode: word(message, INODE_AT)?.into(),
            // For a listener, the two queue fields are the length and the limit of its accept queue.
            waiting: word(message, QUEUES_AT)?.into(),
            limit: word(message, QUEUES_AT + 4)?.into(),
        }),
        _ => {}
    }
    Ok(())
}

fn read_connection(message: &[u8]) -> Result<Connection, DiagError> {
    let [family, _] = slice(message, HEADER)?;
    Ok(Connection {
        local_port: slice(message, PORT_AT).map(u16::from_be_bytes)?,
        remote: remote(message, family)?,
        inode: word(message, INODE_AT)?.into(),
    })
}

fn remote(message: &[u8], family: u8) -> Result<SocketAddr, DiagError> {
    let port = slice(message, REMOTE_PORT_AT).map(u16::from_be_bytes)?;
    Ok(SocketAddr::new(
        address(message, REMOTE_ADDRESS_AT, family)?,
        port,
    ))
}

/// Reads `tcpi_rwnd_limited` from the attributes of a message. `None` if they do not contain it.
fn window_limited(message: &[u8]) -> Option<Duration> {
    let mut rest = message.get(ATTRIBUTES_AT..)?;
    loop {
        let length = usize::from(half(rest, 0).ok()?);
        let kind = half(rest, 2).ok()?;
        let value = rest.get(ATTRIBUTE_HEADER..length)?;
        if kind == TCP_INFO {
            let micros = slice(value, WINDOW_LIMITED_AT).ok()?;
            return Some(Duration::from_micros(u64::from_ne_bytes(micros)));
        }
        rest = rest.get(length.next_multiple_of(4)..)?;
    }
}

fn address(message: &[u8], at: usize, family: u8) -> Result<IpAddr, DiagError> {
    if family == FAMILY_INET {
        return Ok(slice::<4>(message, at)?.into());
    }
    Ok(Ipv6Addr::from(slice::<16>(message, at)?).to_canonical())
}

fn word(bytes: &[u8], at: usize) -> Result<u32, DiagError> {
    slice(bytes, at).map(u32::from_ne_bytes)
}

fn half(bytes: &[u8], at: usize) -> Result<u16, DiagError> {
    slice(bytes, at).map(u16::from_ne_bytes)
}

fn slice<const N: usize>(bytes: &[u8], at: usize) -> Result<[u8; N], DiagError> {
    let rest = bytes.get(at..).ok_or(DiagError::Damaged)?;
    rest.first_chunk().copied().ok_or(DiagError::Damaged)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = read_messages(&bytes, &mut |message| read_connection(message).map(drop));
        }

        #[test]
        fn any_socket_message_is_read_without_panic(body in proptest::collection::vec(any::<u8>(), 0..100)) {
            let mut message = u32::try_from(HEADER + body.len()).unwrap().to_ne_bytes().to_vec();
            message.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
            message.extend([0; 10]);
            message.extend(&body);
            let _ = read_messages(&message, &mut |message| read_socket(message, 80, &mut |_| ()));
            let _ = read_messages(&message, &mut |message| read_connection(message).map(drop));
        }
    }
}
