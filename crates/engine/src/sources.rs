//! The local addresses of users: checks that they belong to this machine, and assigns them.

use std::net::{IpAddr, UdpSocket};

use record::Sources;

use crate::config::RunConfig;
use crate::prepare::PrepareError;

/// Checks that every address belongs to this machine. The check binds a datagram socket to each address, which sends
/// nothing.
pub(crate) fn check_sources(sources: &[IpAddr]) -> Result<(), PrepareError> {
    let refused = |address: &&IpAddr| UdpSocket::bind((**address, 0)).is_err();
    let Some(first) = sources.iter().find(refused) else {
        return Ok(());
    };
    let others = sources.iter().filter(refused).count() - 1;
    let more = match others {
        0 => String::new(),
        _ => format!(" (and {others} others)"),
    };
    Err(PrepareError::Unusable(format!(
        "source address {first}{more} does not belong to this machine; use addresses of 127.0.0.0/8, or one that `ip \
         address` lists"
    )))
}

/// The addresses as the user wrote them, for the record.
pub(crate) fn told(config: &RunConfig) -> Option<Sources> {
    let addresses = config.options.source.len() as u64;
    let given = match config.options_json.get("source")? {
        serde_json::Value::Array(all) => all.iter().filter_map(|one| one.as_str()).collect(),
        one => vec![one.as_str()?],
    };
    (addresses > 0).then(|| Sources {
        given: given.into_iter().map(str::to_owned).collect(),
        addresses,
    })
}

/// The position of a user's source address in the list. It depends on the user's number in the level, not on the
/// worker. Users who share connections share an address too.
pub(crate) fn source_place(config: &RunConfig, number: u32) -> Option<usize> {
    let shared = config.program.streams().unwrap_or(1).max(1);
    let count = config.options.source.len();
    ((number / shared) as usize).checked_rem(count)
}
