use std::net::SocketAddr;

use model::{Fault, FaultKind};
use rustix::io::Errno;

/// Converts a system error on a connection to `peer` into a fault with its side and kind.
pub(crate) fn from_errno(errno: Errno, peer: SocketAddr) -> Fault {
    match errno {
        Errno::CONNREFUSED => Fault::target(
            FaultKind::Refused,
            format!("connection refused: nothing listens on {peer}"),
        ),
        Errno::CONNRESET | Errno::CONNABORTED => {
            Fault::target(FaultKind::Reset, "the peer reset the connection")
        }
        Errno::PIPE => Fault::target(
            FaultKind::Reset,
            "the peer closed the connection without reading all data",
        ),
        Errno::TIMEDOUT => Fault::target(
            FaultKind::TimedOut,
            format!("{peer} did not respond before the kernel's TCP timeout"),
        ),
        Errno::HOSTUNREACH | Errno::NETUNREACH => {
            Fault::target(FaultKind::Refused, format!("no route to {peer}"))
        }
        Errno::ADDRNOTAVAIL => Fault::generator(
            FaultKind::Resources,
            "no local port is free: reuse connections, use several source addresses, \
             or widen net.ipv4.ip_local_port_range",
        ),
        Errno::MFILE | Errno::NFILE => Fault::generator(
            FaultKind::Resources,
            "out of file descriptors: raise the limit (ulimit -n)",
        ),
        Errno::NOBUFS | Errno::NOMEM => Fault::generator(
            FaultKind::Resources,
            "the kernel has no memory left for sockets",
        ),
        other => Fault::generator(
            FaultKind::Resources,
            format!("socket error {} ({other})", other.raw_os_error()),
        ),
    }
}

/// The first 24 bytes of unexpected data, escaped into one printable line.
pub(crate) fn printable(bytes: &[u8]) -> String {
    const SHOWN: usize = 24;
    let mut text = bytes[..bytes.len().min(SHOWN)].escape_ascii().to_string();
    if bytes.len() > SHOWN {
        text.push('…');
    }
    text
}

/// A fault of the target: it sent bytes that the protocol does not allow.
pub(crate) fn protocol(detail: impl Into<String>) -> Fault {
    Fault::target(FaultKind::Protocol, detail)
}

/// A fault of the generator: a body or message is above the limit that the user can set. The target did nothing wrong.
pub(crate) fn above_limit(what: &str, limit: usize) -> Fault {
    let detail = format!(
        "{what} is larger than {limit} bytes: raise the limit (`maxMessage` in the options, --max-message of bench)"
    );
    Fault::generator(FaultKind::TooLarge, detail)
}

/// A fault of the target: `what` is above a fixed limit in bytes that no sensible server exceeds.
pub(crate) fn too_large(what: &str, limit: usize) -> Fault {
    Fault::target(
        FaultKind::TooLarge,
        format!("{what} is larger than {limit} bytes"),
    )
}

#[cfg(test)]
mod tests {
    use model::Side;

    use super::*;

    #[test]
    fn each_system_error_names_its_side_and_kind() {
        let peer = "127.0.0.1:9".parse().unwrap();
        let check = |errno, side, kind, words: &str| {
            let fault = from_errno(errno, peer);
            assert_eq!((fault.side, fault.kind), (side, kind), "{errno:?}");
            assert!(fault.detail.contains(words), "{fault}");
        };
        let (target, own) = (Side::Target, Side::Generator);
        check(
            Errno::CONNREFUSED,
            target,
            FaultKind::Refused,
            "nothing listens on 127.0.0.1:9",
        );
        check(Errno::CONNRESET, target, FaultKind::Reset, "reset");
        check(Errno::PIPE, target, FaultKind::Reset, "closed");
        check(
            Errno::TIMEDOUT,
            target,
            FaultKind::TimedOut,
            "did not respond",
        );
        check(Errno::NETUNREACH, target, FaultKind::Refused, "no route");
        check(
            Errno::ADDRNOTAVAIL,
            own,
            FaultKind::Resources,
            "ip_local_port_range",
        );
        check(Errno::MFILE, own, FaultKind::Resources, "ulimit -n");
        check(Errno::NOMEM, own, FaultKind::Resources, "memory");
    }

    #[test]
    fn strange_bytes_are_quoted_in_one_short_line() {
        assert_eq!(printable(b"SSH-2.0-x\r\n"), "SSH-2.0-x\\r\\n");
        assert_eq!(printable(&[0, 0xff]), "\\x00\\xff");
        assert_eq!(printable(&[b'a'; 25]), format!("{}…", "a".repeat(24)));
    }
}
