//! Records responses with status 429 (too many requests), which are the evidence of a rate limiter.
//!
//! Responses with another status are not counted here. Their number is computed from other counts (windows,
//! connections), when a 429 arrives and at the end of the level.

mod samples;

use model::Nanos;
use record::{PerAddress, StatedLimit};
use wire::http::Quota;

use crate::config::RunConfig;
use crate::http::Asked;
use crate::level_state::LevelState;
use crate::recorder::Family;
use crate::sources::source_place;

pub(crate) use samples::LimitedSamples;

/// Maximum number of responses per time bin whose headers are read. The headers of further responses would only repeat
/// the same values.
const READ_PER_BIN: u64 = 64;

/// Notes a request that was refused with status 429. The request itself has already been counted. `quota` reads the
/// headers of the response.
pub(crate) fn note_limited(
    level: &mut LevelState,
    call: &Asked,
    quota: impl FnOnce() -> Quota,
    now: Nanos,
) {
    if let Some(user) = level.users.get(call.user) {
        user.responses.limited += 1;
    }
    let at_s = (now - level.start).as_secs_f64();
    let ended = level.recorder.ended();
    let name = level
        .recorder
        .name_of(Family::Request, call.name)
        .to_owned();
    let limited = level.recorder.limited.get_or_insert_default();
    let passed = ended.saturating_sub(limited.totals().count + 1);
    limited.note_name(&name);
    if limited.note(at_s, passed) <= READ_PER_BIN {
        note_quota(limited, &quota(), at_s);
    }
}

/// Takes all refusals of the level, with the counts of each user and each address. Call it after all connections
/// are closed, because the users' counts include the responses of a connection only after it is closed.
pub(crate) fn take_limited(
    level: &mut LevelState,
    config: &RunConfig,
    now: Nanos,
) -> LimitedSamples {
    let ended = level.recorder.ended();
    let mut limited = level.recorder.limited.take().unwrap_or_default();
    let passed = ended.saturating_sub(limited.totals().count);
    limited.close((now - level.start).as_secs_f64(), passed);
    let sources = config.options.source.len();
    let mut addresses = vec![PerAddress::default(); if sources > 1 { sources } else { 0 }];
    for user in level.users.each().filter(|user| user.responses.all > 0) {
        let place = source_place(config, user.number);
        let passed = user.responses.all.saturating_sub(user.responses.limited);
        let (passed, refused) = (u64::from(passed), u64::from(user.responses.limited));
        if refused > 0 {
            limited.add_user(passed, refused);
        }
        if let Some(address) = place.and_then(|place| addresses.get_mut(place)) {
            address.users += 1;
            address.passed += passed;
            address.limited += refused;
        }
    }
    for (address, source) in addresses.iter_mut().zip(&config.options.source) {
        address.address = source.to_string();
    }
    let used = addresses.iter().filter(|address| address.users > 0);
    used.for_each(|address| limited.add_address(address));
    *limited
}

fn note_quota(limited: &mut LimitedSamples, quota: &Quota, at_s: f64) {
    for policy in &quota.policies {
        limited.note_stated(&StatedLimit {
            header: policy.header.to_owned(),
            limit: policy.limit,
            window_s: policy.window_s,
            partitioned: policy.partitioned,
            spent: policy.spent.into(),
            count: 1,
        });
    }
    if let Some(wait_s) = quota.wait_s {
        limited.note_wait(at_s, wait_s);
    }
}

#[cfg(test)]
mod tests;
