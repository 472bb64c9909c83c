//! `NETLINK_SOCK_DIAG`, as `linux/inet_diag.h` and `linux/netlink.h` describe it: a request for all TCP sockets of a
//! family in some states with one local port, answered by one message for each.

use std::os::fd::OwnedFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::net::netlink::{self, SocketAddrNetlink};
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};
use rustix::net::{recv, sendto, socket_with};
use thiserror::Error;

use super::{ListenQueue, PortLook};

/// Why the kernel's socket diagnostics say nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DiagError {
    /// A system call failed.
    #[error("socket diagnostics: {0}")]
    Refused(#[from] rustix::io::Errno),
    /// The kernel answered with an error: it has no such module, or we may not ask.
    #[error("socket diagnostics: error {0}")]
    Unsupported(i32),
    /// An answer that is cut off, too long, or does not come.
    #[error("socket diagnostics: an answer that is no answer")]
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
/// `struct inet_diag_msg` up to its counters: family, state, timer, retransmissions, then `inet_diag_sockid`.
const QUEUES_AT: usize = HEADER + 4 + 48 + 4;
/// More rounds than any number of sockets needs; the loop must end whatever comes.
const ROUNDS: u32 = 100_000;

/// Connections and listeners.
pub(super) fn look(port: u16) -> Result<PortLook, DiagError> {
    look_at(port, 1 << ESTABLISHED | 1 << LISTEN)
}

/// Listeners only: the kernel does not go through its connections then.
pub(super) fn look_at_listeners(port: u16) -> Result<PortLook, DiagError> {
    look_at(port, 1 << LISTEN)
}

/// In both families: a socket of IPv6 may hold connections of IPv4.
fn look_at(port: u16, states: u32) -> Result<PortLook, DiagError> {
    let mut look = PortLook::default();
    let socket = socket_with(
        AddressFamily::NETLINK,
        SocketType::DGRAM,
        SocketFlags::CLOEXEC,
        Some(netlink::SOCK_DIAG),
    )?;
    for family in [AddressFamily::INET, AddressFamily::INET6] {
        ask(&socket, family, port, states)?;
        read_answers(&socket, port, &mut look)?;
    }
    Ok(look)
}

fn ask(socket: &OwnedFd, family: AddressFamily, port: u16, states: u32) -> Result<(), DiagError> {
    let mut request = Vec::with_capacity(72);
    request.extend(72_u32.to_ne_bytes());
    request.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    request.extend(REQUEST_DUMP.to_ne_bytes());
    request.extend([0; 8]); // sequence and sender: there is one request at a time
    let family = u8::try_from(family.as_raw()).map_err(|_| DiagError::Damaged)?;
    request.extend([family, IPPROTO_TCP, 0, 0]);
    request.extend(states.to_ne_bytes());
    request.extend(port.to_be_bytes()); // with a port, a dump is of that port only
    request.extend([0; 2 + 32 + 4]); // any other port, addresses, interface
    request.extend([0xff; 8]); // INET_DIAG_NOCOOKIE
    let kernel = SocketAddrNetlink::new(0, 0);
    sendto(socket, &request, SendFlags::empty(), &kernel)?;
    Ok(())
}

fn read_answers(socket: &OwnedFd, port: u16, look: &mut PortLook) -> Result<(), DiagError> {
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
        if read_messages(&buffer[..length.min(64 * 1024)], port, look)? {
            return Ok(());
        }
    }
    Err(DiagError::Damaged)
}

/// Whether the last message was among them.
fn read_messages(mut bytes: &[u8], port: u16, look: &mut PortLook) -> Result<bool, DiagError> {
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
            SOCK_DIAG_BY_FAMILY => read_socket(message, port, look)?,
            _ => {}
        }
        // Each begins at a multiple of four bytes.
        bytes = bytes.get(length.next_multiple_of(4)..).unwrap_or_default();
    }
    Ok(false)
}

fn read_socket(message: &[u8], port: u16, look: &mut PortLook) -> Result<(), DiagError> {
    let state = *message.get(HEADER + 1).ok_or(DiagError::Damaged)?;
    let local = message
        .get(HEADER + 4..HEADER + 6)
        .ok_or(DiagError::Damaged)?;
    if local != port.to_be_bytes() {
        return Ok(());
    }
    match state {
        ESTABLISHED => look.connections += 1,
        // Of a listener the two queues are the length and the limit of its accept queue.
        LISTEN => look.see(ListenQueue {
            length: word(message, QUEUES_AT)?.into(),
            limit: Some(word(message, QUEUES_AT + 4)?.into()),
        }),
        _ => {}
    }
    Ok(())
}

fn word(bytes: &[u8], at: usize) -> Result<u32, DiagError> {
    let bytes = bytes.get(at..at + 4).ok_or(DiagError::Damaged)?;
    Ok(u32::from_ne_bytes(
        bytes.try_into().map_err(|_| DiagError::Damaged)?,
    ))
}

fn half(bytes: &[u8], at: usize) -> Result<u16, DiagError> {
    let bytes = bytes.get(at..at + 2).ok_or(DiagError::Damaged)?;
    Ok(u16::from_ne_bytes(
        bytes.try_into().map_err(|_| DiagError::Damaged)?,
    ))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = read_messages(&bytes, 80, &mut PortLook::default());
        }

        #[test]
        fn any_socket_message_is_read_without_panic(body in proptest::collection::vec(any::<u8>(), 0..100)) {
            let mut message = u32::try_from(HEADER + body.len()).unwrap().to_ne_bytes().to_vec();
            message.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
            message.extend([0; 10]);
            message.extend(&body);
            let _ = read_messages(&message, 80, &mut PortLook::default());
        }
    }
}
