//! The local addresses that users come from: whether they are this machine's, and which is whose.

use std::net::{IpAddr, UdpSocket};

use model::UserId;
use record::Sources;

use crate::config::RunConfig;
use crate::prepare::PrepareError;
use crate::world::World;

/// Every address must be this machine's. A datagram socket that is bound sends nothing.
pub(crate) fn check_sources(sources: &[IpAddr]) -> Result<(), PrepareError> {
    let refused = |address: &&IpAddr| UdpSocket::bind((**address, 0)).is_err();
    let Some(first) = sources.iter().find(refused) else {
        return Ok(());
    };
    let others = sources.iter().filter(refused).count() - 1;
    let more = match others {
        0 => String::new(),
        _ => format!(" (nor are {others} others)"),
    };
    Err(PrepareError::Unusable(format!(
        "source address {first} is not one of this machine's{more}: all of 127.0.0.0/8 are; \
         `ip address` lists the others"
    )))
}

/// As the user wrote them, for the record.
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

impl World {
    /// The place in the list of sources from which all connections of a user come. It goes by the user's number within
    /// the level, whichever worker they are on; those who share connections share an address too.
    pub(crate) fn source_place(&mut self, user: UserId) -> Option<usize> {
        let shared = self.streams().unwrap_or(1).max(1);
        let number = self.users.get(user)?.number / shared;
        let count = self.config.options.source.len();
        (number as usize).checked_rem(count)
    }

    /// The local address that a user's connections come from; `None`: the kernel chooses.
    pub(crate) fn source_of(&mut self, user: UserId) -> Option<IpAddr> {
        let place = self.source_place(user)?;
        self.config.options.source.get(place).copied()
    }
}
