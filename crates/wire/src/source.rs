use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::OwnedFd;

use model::{Fault, FaultKind};
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::IpBindAddressNoPort;
use rustix::io::Errno;
use rustix::net::{self, AddressFamily, SocketFlags, SocketType, sockopt};

use crate::fault::from_errno;

/// Loopback addresses that are tried, the kernel's choice included. Each has some 28,000 ports for one target.
const LOOPBACKS: u8 = 32;

/// The local address that a connection comes from.
#[derive(Debug)]
pub enum Source<'a> {
    /// The kernel chooses. Every target can then be reached from one address, by no more connections than there are
    /// local ports.
    Any,
    /// This one, an address of this machine.
    Given(IpAddr),
    /// The kernel chooses until no port is free. Then, for a target on 127.0.0.0/8, further addresses of that network.
    Spread(&'a mut Loopback),
}

/// Which loopback address still has ports: all of 127.0.0.0/8 are this machine's, and each has ports of its own.
#[derive(Debug, Default)]
pub struct Loopback {
    /// 0: the kernel's choice, 127.0.0.1; else the address 127.0.0.(1 + number).
    number: u8,
}

impl Loopback {
    fn address(&self) -> Option<IpAddr> {
        let last = self.number.checked_add(1).filter(|&last| last > 1)?;
        Some(Ipv4Addr::new(127, 0, 0, last).into())
    }

    /// Starts to connect from the address that had a port last, or the next that has.
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
    /// The socket, and whether it is connected at once.
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

/// Why no connection could be begun.
enum Failed {
    /// All ports of the source address are taken.
    NoPort,
    /// The source is none of this machine's addresses.
    NoAddress(IpAddr),
    /// The source is of IPv4 and the target of IPv6, or the other way round.
    OtherFamily(IpAddr),
    Other(Errno),
}

impl Failed {
    fn fault(self, addr: SocketAddr) -> Fault {
        match self {
            Self::NoPort => from_errno(Errno::ADDRNOTAVAIL, addr),
            Self::NoAddress(source) => Fault::script(
                FaultKind::Resources,
                format!("source address {source} is not one of this machine's"),
            ),
            Self::OtherFamily(source) => Fault::script(
                FaultKind::Resources,
                format!(
                    "from the source address {source} there is no way to {}: one is IPv4, the other IPv6",
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
        // The port is chosen when it is known where to: one port serves many targets.
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
