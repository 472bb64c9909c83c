//! The addresses of this machine.

use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether packets to `ip` stay on this machine.
pub(super) fn is_local(ip: IpAddr) -> bool {
    match ip.to_canonical() {
        ip if ip.is_loopback() || ip.is_unspecified() => true,
        IpAddr::V4(ip) => fs::read_to_string("/proc/net/fib_trie")
            .is_ok_and(|table| v4_addresses(&table).any(|own| own == ip)),
        IpAddr::V6(ip) => fs::read_to_string("/proc/net/if_inet6")
            .is_ok_and(|table| v6_addresses(&table).any(|own| own == ip)),
    }
}

/// Reads the local addresses from the routing trie. Each one is a leaf `|-- 192.0.2.2`, followed by a line with `host
/// LOCAL`.
fn v4_addresses(fib_trie: &str) -> impl Iterator<Item = Ipv4Addr> {
    fib_trie
        .lines()
        .zip(fib_trie.lines().skip(1))
        .filter(|(_, next)| next.trim() == "/32 host LOCAL")
        .filter_map(|(leaf, _)| leaf.trim().strip_prefix("|-- ")?.parse().ok())
}

/// The first column of `/proc/net/if_inet6`: 32 hexadecimal digits.
fn v6_addresses(if_inet6: &str) -> impl Iterator<Item = Ipv6Addr> {
    if_inet6
        .lines()
        .filter_map(|line| u128::from_str_radix(line.split_whitespace().next()?, 16).ok())
        .map(Ipv6Addr::from_bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_routing_trie_names_our_own_addresses() {
        let trie = "\
Main:
  +-- 0.0.0.0/0 3 0 5
     |-- 0.0.0.0
        /0 universe UNICAST
           |-- 127.0.0.0
              /8 host LOCAL
           |-- 192.0.2.2
              /32 host LOCAL
           |-- 192.0.2.255
              /32 link BROADCAST
";
        let found: Vec<_> = v4_addresses(trie).collect();
        assert_eq!(found, [Ipv4Addr::new(192, 0, 2, 2)]);
    }

    #[test]
    fn ipv6_addresses_are_read() {
        let table = "fe8000000000000000fc00fffe000001 04 40 20 80     eth0\n";
        let found: Vec<_> = v6_addresses(table).map(|ip| ip.to_string()).collect();
        assert_eq!(found, ["fe80::fc:ff:fe00:1"]);
    }

    #[test]
    fn loopback_is_here_and_documentation_addresses_are_not() {
        for here in [
            "127.0.0.1",
            "127.9.9.9",
            "::1",
            "0.0.0.0",
            "::",
            "::ffff:127.0.0.1",
        ] {
            assert!(is_local(here.parse().unwrap()), "{here}");
        }
        for elsewhere in ["203.0.113.77", "2001:db8::77"] {
            assert!(!is_local(elsewhere.parse().unwrap()), "{elsewhere}");
        }
    }
}
