//! The local addresses of the users: single addresses, and networks in CIDR notation.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Maximum number of addresses of one run. A larger network is most likely a mistake.
pub const SOURCES_LIMIT: usize = 65_536;

/// Parses a text such as `127.0.0.9` or `127.0.0.0/24` into its addresses, in order. The error is a message for the
/// user.
///
/// In an IPv4 network of more than two addresses, the first and the last are left out, because they are the network
/// address and the broadcast address (RFC 919 §7).
///
/// ```
/// let addresses = plan::source_addresses("127.0.0.0/29").unwrap();
/// assert_eq!(addresses.len(), 6);
/// assert_eq!(addresses[0].to_string(), "127.0.0.1");
/// ```
pub fn source_addresses(text: &str) -> Result<Vec<IpAddr>, String> {
    let text = text.trim();
    let (address, length) = match text.split_once('/') {
        Some((address, length)) => (address, Some(length)),
        None => (text, None),
    };
    let Ok(address) = address.parse::<IpAddr>() else {
        return Err(
            "expected an address such as 127.0.0.2, or a network such as 127.0.0.0/24".into(),
        );
    };
    let Some(length) = length else {
        return Ok(vec![address]);
    };
    let bits: u32 = if address.is_ipv4() { 32 } else { 128 };
    let length = length
        .parse::<u32>()
        .ok()
        .filter(|&length| length <= bits)
        .ok_or_else(|| format!("the prefix length must be 0 to {bits}"))?;
    let free = bits - length;
    if free > 16 {
        let least = bits - 16;
        return Err(format!(
            "network too large: use at most {SOURCES_LIMIT} addresses, that is, a prefix of /{least} or longer"
        ));
    }
    let first = number_of(address) >> free << free;
    let last = first + ((1_u128 << free) - 1);
    let inner = if address.is_ipv4() && free > 1 {
        first + 1..=last - 1
    } else {
        first..=last
    };
    Ok(inner.map(|number| address_of(number, address)).collect())
}

fn number_of(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(v4) => v4.to_bits().into(),
        IpAddr::V6(v6) => v6.to_bits(),
    }
}

/// Converts a number to an address of the same family as `like`.
fn address_of(number: u128, like: IpAddr) -> IpAddr {
    match (like, u32::try_from(number)) {
        (IpAddr::V4(_), Ok(number)) => Ipv4Addr::from_bits(number).into(),
        _ => Ipv6Addr::from_bits(number).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<String> {
        let all = source_addresses(text).unwrap();
        all.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn addresses_and_networks_are_read() {
        assert_eq!(told(" 127.0.0.9 "), ["127.0.0.9"]);
        assert_eq!(told("127.0.0.9/32"), ["127.0.0.9"]);
        assert_eq!(told("127.0.0.9/31"), ["127.0.0.8", "127.0.0.9"]);
        assert_eq!(told("10.1.2.3/30"), ["10.1.2.1", "10.1.2.2"]);
        assert_eq!(told("::1"), ["::1"]);
        assert_eq!(told("fd00::8/127"), ["fd00::8", "fd00::9"]);
        assert_eq!(told("127.1.0.0/16").len(), 65_534);
        assert_eq!(told("255.255.255.255/31").len(), 2);
        assert_eq!(
            told("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/120").len(),
            256
        );
    }

    #[test]
    fn what_is_no_address_is_refused_with_what_is() {
        for (text, why) in [
            ("localhost", "expected an address"),
            ("127.0.0.0/33", "0 to 32"),
            ("127.0.0.0/", "0 to 32"),
            ("::/129", "0 to 128"),
            ("127.0.0.0/8", "network too large"),
            ("0.0.0.0/0", "/16 or longer"),
            ("::/0", "/112 or longer"),
        ] {
            let refused = source_addresses(text).unwrap_err();
            assert!(refused.contains(why), "{text}: {refused}");
        }
    }
}
