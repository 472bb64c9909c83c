//! Deliveries in the bodies of responses: long polling, and lists of messages.

use model::{Nanos, split_tags};

use super::InFlight;
use crate::arrival::Receipts;
use crate::base::Base;
use crate::recorder::Family;
use crate::socket::Came;

/// Passes the stamps in the body of a response to the channels that look for them there.
pub(super) fn receive(base: &mut Base, call: &InFlight, body: &[u8], now: Nanos) {
    let level = &mut base.level;
    let Some(user) = level.users.get(call.context.user) else {
        return base.inconsistent("the response of a user arrived who does not exist");
    };
    if user.responses.followed.is_empty() {
        return;
    }
    let (name, _) = split_tags(level.recorder.name_of(Family::Request, call.context.name));
    let mut followed = user.responses.followed.iter_mut();
    let Some((_, followed)) = followed.find(|(request, _)| request == name) else {
        return;
    };
    let mut receipts = Receipts {
        now,
        member: user.member,
        group: level.groups.get_mut(user.group),
        recorder: &mut level.recorder,
    };
    receipts.take(Came::message(body), followed);
}
