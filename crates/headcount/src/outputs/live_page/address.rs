use std::net::SocketAddr;
use std::str::FromStr;

use super::super::spec::address_of;

/// The address of the live page, which is on the loopback interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UiAddress(pub(super) SocketAddr);

impl FromStr for UiAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let address = address_of(text)?;
        if !address.ip().is_loopback() {
            return Err(format!(
                "the live page can end the run, so it listens on this machine only: use 127.0.0.1:{0}, and from \
                 another machine a tunnel (ssh -L {0}:127.0.0.1:{0} HOST)",
                address.port()
            ));
        }
        Ok(Self(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_addresses_are_accepted() {
        let of = |text: &str| {
            text.parse::<UiAddress>()
                .map(|address| address.0.to_string())
        };
        assert_eq!(of("4711"), Ok("127.0.0.1:4711".to_owned()));
        assert_eq!(of("127.0.0.1:0"), Ok("127.0.0.1:0".to_owned()));
        assert_eq!(of("[::1]:4711"), Ok("[::1]:4711".to_owned()));
        for other in ["0.0.0.0:4711", "192.168.0.7:4711", "[::]:4711"] {
            let why = of(other).unwrap_err();
            assert!(why.contains("ssh -L 4711:127.0.0.1:4711"), "{why}");
        }
        assert!(of("localhost:4711").is_err() && of("").is_err());
    }
}
