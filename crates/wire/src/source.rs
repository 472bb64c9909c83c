use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;

use model::{Fault, FaultKind};
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::IpBindAddressNoPort;
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};

use crate::fault::from_errno;

/// Number of loopback addresses to try, including the kernel's choice. Each address has about 28,000 ports for one
/// target.
const LOOPBACKS: u8 = 32;

/// The local address of a connection.
#[derive(Debug)]
pub enum Source<'a> {
    /// The kernel chooses. It uses one address per target, so the number of local ports limits the connections to the
    /// target.
    Any,
    /// This address, which must belong to this machine.
    Given(IpAddr),
    /// The kernel chooses until no port is free. After that, connections to a target on 127.0.0.0/8 use further
    /// addresses of that network.
    Spread(&'a mut Loopback),
}

/// The loopback address that still has free ports. All of 127.0.0.0/8 belongs to this machine, and each address has its
/// own ports.
#[derive(Debug, Default)]
pub struct Loopback {
    /// 0 is the kernel's choice, 127.0.0.1. Any other number is the address 127.0.0.(1 + number).
    number: u8,
}

impl Loopback {
    fn address(&self) -> Option<IpAddr> {
        let last = self.number.checked_add(1).filter(|&last| last > 1)?;
        Some(Ipv4Addr::new(127, 0, 0, last).into())
    }

    /// Starts to connect from the address that last had a free port, or from the next address with a free port.
    fn connect(&mut self, addr: SocketAddr) -> Result<(OwnedFd, bool), Fault> {
        for _ in 0..LOOPBACKS {
            match begin(addr, self.address()) {
                Err(Failed::NoPort) => self.number = (self.number + 1) % LOOPBACKS,
                done => return done.map_err(|failed| failed.fault(addr)),
            }
        }
        Err(Failed::NoPort.fault(addr))
    }
}

impl Source<'_> {
    /// Starts to connect. Returns the socket and whether it is already connected.
    pub(crate) fn connect(self, addr: SocketAddr) -> Result<(OwnedFd, bool), Fault> {
        let on_loopback = matches!(addr.ip(), IpAddr::V4(ip) if ip.is_loopback());
        let begun = match self {
            Self::Spread(loopback) if on_loopback => return loopback.connect(addr),
            Self::Any | Self::Spread(_) => begin(addr, None),
            Self::Given(source) => begin(addr, Some(source)),
        };
        begun.map_err(|failed| failed.fault(addr))
    }
}

/// The reason why a connection could not be started.
enum Failed {
    /// All ports of the source address are in use.
    NoPort,
    /// The source address does not belong to this machine.
    NoAddress(IpAddr),
    /// The source is IPv4 and the target IPv6, or vice versa.
    OtherFamily(IpAddr),
    Other(Errno),
}

impl Failed {
    fn fault(self, addr: SocketAddr) -> Fault {
        match self {
            Self::NoPort => from_errno(Errno::ADDRNOTAVAIL, addr),
            Self::NoAddress(source) => Fault::script(
                FaultKind::Resources,
                format!("source address {source} does not belong to this machine"),
            ),
            Self::OtherFamily(source) => Fault::script(
                FaultKind::Resources,
                format!(
                    "source address {source} cannot reach {}: one is IPv4, the other IPv6",
                    addr.ip()
                ),
            ),
            Self::Other(errno) => from_errno(errno, addr),
        }
    }
}

fn begin(addr: SocketAddr, source: Option<IpAddr>) -> Result<(OwnedFd, bool), Failed> {
    let socket = open(addr).map_err(Failed::Other)?;
    if let Some(source) = source {
        if source.is_ipv4() != addr.is_ipv4() {
            return Err(Failed::OtherFamily(source));
        }
        // With this option, the kernel chooses the port in `connect`, when the target is known, and can use one port
        // for many targets. Without it, `bind` would reserve a port for this socket alone.
        setsockopt(&socket, IpBindAddressNoPort, &true)
            .map_err(|errno| Failed::Other(Errno::from_raw_os_error(errno as i32)))?;
        net::bind(&socket, &SocketAddr::new(source, 0)).map_err(|errno| match errno {
            Errno::ADDRNOTAVAIL => Failed::NoAddress(source),
            other => Failed::Other(other),
        })?;
    }
    match net::connect(&socket, &addr) {
        Ok(()) => Ok((socket, true)),
        Err(Errno::INPROGRESS) => Ok((socket, false)),
        Err(Errno::ADDRNOTAVAIL) => Err(Failed::NoPort),
        Err(errno) => Err(Failed::Other(errno)),
    }
}

fn open(addr: SocketAddr) -> Result<OwnedFd, Errno> {
    let family = if addr.is_ipv4() {
        AddressFamily::INET
    } else {
        AddressFamily::INET6
    };
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = net::socket_with(family, SocketType::STREAM, flags, None)?;
    sockopt::set_tcp_nodelay(&socket, true)?;
    Ok(socket)
}
