use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs};

use model::{Fault, FaultKind};
use url::Url;

use crate::registry::SCHEMES;

/// An address to connect to, and whether to use TLS. Connections to equal endpoints are interchangeable.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// Host name or IP address. An IPv6 address has no brackets.
    pub host: String,
    /// TCP port.
    pub port: u16,
    /// Whether the connection uses TLS from the first byte.
    pub tls: bool,
}

impl TryFrom<&Url> for Endpoint {
    type Error = Fault;

    /// The endpoint of a URL of a registered protocol. Any other URL is a fault of the script.
    fn try_from(url: &Url) -> Result<Self, Fault> {
        let name = url.scheme();
        let mut known = SCHEMES.iter().copied().flatten();
        let scheme = known.find(|scheme| scheme.name == name);
        let scheme = scheme.ok_or_else(|| unusable(&format!("unsupported URL scheme `{name}`")))?;
        let host = match url.host() {
            Some(url::Host::Domain(name)) => name.to_owned(),
            Some(url::Host::Ipv4(address)) => address.to_string(),
            Some(url::Host::Ipv6(address)) => address.to_string(),
            None => return Err(unusable("the URL has no host")),
        };
        let port = url.port().unwrap_or(scheme.port);
        let tls = scheme.tls;
        Ok(Self { host, port, tls })
    }
}

fn unusable(detail: &str) -> Fault {
    Fault::script(FaultKind::Protocol, detail)
}

/// Addresses of cloud metadata services that are not link-local: Alibaba and Azure.
const METADATA_V4: [Ipv4Addr; 2] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
];
/// Unique local addresses of cloud metadata services: Amazon, Google and Scaleway.
const METADATA_V6: [Ipv6Addr; 3] = [
    Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254),
    Ipv6Addr::new(0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x0254),
    Ipv6Addr::new(0xfd00, 0x0042, 0, 0, 0, 0, 0, 0x0042),
];

/// Resolves the endpoint to all of its addresses. This blocks on the system's resolver, so do not call it in an event
/// loop. An unknown name is a fault of the target.
pub fn resolve(endpoint: &Endpoint) -> Result<Vec<SocketAddr>, Fault> {
    let failed = |why: String| Fault::target(FaultKind::Resolve, why);
    let addresses: Vec<SocketAddr> = (endpoint.host.as_str(), endpoint.port)
        .to_socket_addrs()
        .map_err(|error| failed(format!("cannot resolve `{}`: {error}", endpoint.host)))?
        .collect();
    if addresses.is_empty() {
        return Err(failed(format!("`{}` has no address", endpoint.host)));
    }
    Ok(addresses)
}

/// Whether an address may be tested without permission. This is true for this machine and private networks: loopback,
/// unspecified, RFC 1918 and unique local addresses, except where [`may_hold_credentials`] is true. Any other address
/// may be somebody else's server, so the user must allow it explicitly.
pub fn is_allowed(address: IpAddr) -> bool {
    !may_hold_credentials(address)
        && match address.to_canonical() {
            IpAddr::V4(v4) => v4.is_loopback() || v4.is_private() || v4.is_unspecified(),
            IpAddr::V6(v6) => {
                v6.is_loopback() || v6.is_unique_local() || v6 == Ipv6Addr::UNSPECIFIED
            }
        }
}

/// Whether a cloud may serve the machine's own credentials at this address: link-local addresses, and the other
/// addresses that Alibaba, Amazon, Azure, Google and Scaleway use for this. A target that redirects there may try to steal the
/// credentials.
pub fn may_hold_credentials(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.is_link_local() || METADATA_V4.contains(&v4),
        IpAddr::V6(v6) => v6.is_unicast_link_local() || METADATA_V6.contains(&v6),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_comes_from_the_url() {
        let check = |url: &str, host: &str, port: u16, tls: bool| {
            let endpoint = Endpoint::try_from(&Url::parse(url).unwrap()).unwrap();
            let expected = Endpoint {
                host: host.into(),
                port,
                tls,
            };
            assert_eq!(endpoint, expected, "{url}");
        };
        check("http://localhost/x", "localhost", 80, false);
        check("https://a.test:8443", "a.test", 8443, true);
        check("ws://127.0.0.1:9", "127.0.0.1", 9, false);
        check("wss://[::1]/", "::1", 443, true);
        check("nats://127.0.0.1", "127.0.0.1", 4222, false);
        check("tls://a:b@[::1]:1", "::1", 1, false);
        check("redis://user:word@h.test/2", "h.test", 6379, false);
        check("rediss://10.0.0.1:7000", "10.0.0.1", 7000, true);
        check("redis://[::1]", "::1", 6379, false);
        assert!(Endpoint::try_from(&Url::parse("ftp://a.test/").unwrap()).is_err());
    }

    #[test]
    fn only_this_machine_and_private_networks_are_allowed_unasked() {
        let allowed = [
            "127.0.0.1",
            "127.9.9.9",
            "::1",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "fd00::1",
            "::ffff:127.0.0.1",
        ];
        let foreign = [
            "8.8.8.8",
            "172.32.0.1",
            "192.169.0.1",
            "2606:4700::1",
            "::ffff:1.1.1.1",
            "100.64.0.1",
            "169.254.0.9",
            "169.254.169.254",
            "::ffff:169.254.169.254",
            "fe80::1",
            "febf::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "fd00:42::42",
        ];
        for text in allowed {
            assert!(is_allowed(text.parse().unwrap()), "{text}");
        }
        for text in foreign {
            assert!(!is_allowed(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn metadata_services_of_clouds_may_hold_credentials() {
        let metadata = [
            "169.254.169.254",
            "100.100.100.200",
            "::ffff:100.100.100.200",
            "168.63.129.16",
            "fd00:ec2::254",
        ];
        for text in metadata {
            assert!(may_hold_credentials(text.parse().unwrap()), "{text}");
        }
        for text in ["127.0.0.1", "10.0.0.1", "8.8.8.8", "100.100.100.201"] {
            assert!(!may_hold_credentials(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn a_name_without_an_address_is_a_fault_of_its_own_kind() {
        let endpoint = Endpoint {
            host: "no-such-name.invalid".into(),
            port: 80,
            tls: false,
        };
        assert_eq!(resolve(&endpoint).unwrap_err().kind, FaultKind::Resolve);
        let local = Endpoint {
            host: "127.0.0.1".into(),
            ..endpoint
        };
        assert_eq!(resolve(&local).unwrap(), ["127.0.0.1:80".parse().unwrap()]);
    }
}
