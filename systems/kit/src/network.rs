//! Client addresses: networks, trusted proxies, and the address to which a rate limit applies.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use axum::http::{Extensions, HeaderMap};
use ipnet::IpNet;

use crate::list;

/// The remote address of a connection.
#[derive(Clone, Copy, Debug)]
pub struct Peer(pub SocketAddr);

impl Peer {
    /// The address that the server stored in the request. A request without a stored address did not come over a
    /// connection, and counts as local.
    #[must_use]
    pub fn of(extensions: &Extensions) -> IpAddr {
        let peer = extensions.get::<Self>();
        peer.map_or(Ipv6Addr::LOCALHOST.into(), |peer| {
            peer.0.ip().to_canonical()
        })
    }
}

/// A list of networks, each written as an address (`10.0.0.1`) or a prefix (`10.0.0.0/8`).
#[derive(Clone, Debug, Default)]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// Whether one of the networks contains `address`.
    #[must_use]
    pub fn contain(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The networks as text.
    #[must_use]
    pub fn words(&self) -> Vec<String> {
        self.0.iter().map(ToString::to_string).collect()
    }
}

impl FromStr for Networks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        list::parse(text, network).map(Self)
    }
}

fn network(text: &str) -> Result<IpNet, String> {
    let refused = || format!("`{text}` is neither an address nor a network such as `10.0.0.0/8`");
    match text.parse::<IpAddr>() {
        Ok(address) => Ok(IpNet::from(address.to_canonical())),
        Err(_) => text.parse().map_err(|_| refused()),
    }
}

/// The client's address: the address that trusted proxies report, or else the address of the connection (`peer`).
#[must_use]
pub fn client(peer: IpAddr, headers: &HeaderMap, proxies: &Networks) -> IpAddr {
    let mut address = peer;
    let forwarded = headers.get_all("x-forwarded-for");
    let listed: Vec<&str> = forwarded
        .iter()
        .flat_map(|value| value.to_str().unwrap_or_default().split(','))
        .collect();
    // Start at the nearest proxy. Entries that our own proxies did not add can be forged, or may not even be addresses.
    for next in listed.into_iter().rev() {
        let Some(next) = trusted(proxies, address, next) else {
            break;
        };
        address = next;
    }
    address
}

/// The address that `proxy` reports. `None` if the proxy is not trusted or the text is not an address.
fn trusted(proxies: &Networks, proxy: IpAddr, said: &str) -> Option<IpAddr> {
    let said: IpAddr = said.trim().parse().ok()?;
    proxies.contain(proxy).then_some(said.to_canonical())
}

/// The address to which a rate limit applies: an IPv4 address, or the /64 prefix of an IPv6 address. One host controls
/// a whole /64.
#[must_use]
pub fn counted(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => {
            let [a, b, c, d, ..] = v6.segments();
            Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_prefixes_are_read_and_nonsense_is_refused() {
        let networks: Networks = "127.0.0.1, 10.0.0.0/8,::1".parse().unwrap();
        assert!(networks.contain("10.1.2.3".parse().unwrap()));
        assert!(!networks.contain("11.1.2.3".parse().unwrap()));
        let mapped: Networks = "::ffff:192.0.2.1".parse().unwrap();
        assert!(mapped.contain("192.0.2.1".parse().unwrap()));
        assert!("".parse::<Networks>().unwrap().0.is_empty());
        assert!("localhost".parse::<Networks>().is_err());
        assert!("10.0.0.0/33".parse::<Networks>().is_err());
    }

    #[test]
    fn only_a_trusted_proxy_may_say_where_somebody_comes_from() {
        let proxies: Networks = "10.0.0.0/8".parse().unwrap();
        let client = |peer: &str, forwarded: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", forwarded.parse().unwrap());
            client(peer.parse().unwrap(), &headers, &proxies).to_string()
        };
        assert_eq!(client("192.0.2.9", "1.1.1.1"), "192.0.2.9");
        assert_eq!(client("10.0.0.1", "1.1.1.1"), "1.1.1.1");
        assert_eq!(client("10.0.0.1", "6.6.6.6, 1.1.1.1, 10.0.0.2"), "1.1.1.1");
        // A client that sends an invalid entry first must not be mistaken for the proxy.
        assert_eq!(client("10.0.0.1", "nonsense, 1.1.1.1"), "1.1.1.1");
        assert_eq!(client("10.0.0.1", "1.1.1.1, nonsense"), "10.0.0.1");
        assert_eq!(client("10.0.0.1", ""), "10.0.0.1");
    }

    #[test]
    fn an_ipv6_host_is_counted_by_its_network() {
        let counted = |text: &str| counted(text.parse().unwrap()).to_string();
        assert_eq!(counted("2001:db8::1:2:3:4"), counted("2001:db8::9:9:9:9"));
        assert_ne!(counted("192.0.2.1"), counted("192.0.2.2"));
    }
}
