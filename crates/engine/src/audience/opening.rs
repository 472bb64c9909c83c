//! Connects the members of passive audiences.

use model::{Fault, Nanos};
use rand_pcg::Pcg64Mcg;
use script::host::{MemberCall, MemberOpening as Opens, Payload};

use super::described::{Describe, Described};
use super::failing::fail;
use super::member::{MemberOpening, MemberState};
use super::sharing::share;
use crate::base::Base;
use crate::dial::{Dial, MemberDial};
use crate::owner::MemberId;

macro_rules! define_describe {
    ($($name:ident: $wire:ty => $($handler:ident)::+,)*) => {
        impl Describe for Opens {
            fn describe(
                self,
                base: &mut Base,
                first: Vec<Payload>,
                random: &mut Pcg64Mcg,
            ) -> Result<Described, Fault> {
                match self {
                    $(Self::$name(call) => call.describe(base, first, random),)*
                }
            }
        }
    };
}
with_protocols!(define_describe);

/// Connects a member now, or queues it.
pub(super) fn start(
    base: &mut Base,
    (member, number): (MemberId, u32),
    call: MemberCall,
    random: &mut Pcg64Mcg,
) {
    let MemberCall {
        opening,
        first,
        ready,
        ready_event,
    } = call;
    let described = opening.describe(base, first, random);
    let described = match described.and_then(|described| described.or_from(ready, ready_event)) {
        Ok(described) => described,
        Err(fault) => return fail(base, member, &fault),
    };
    let state = MemberState {
        opening: Some(Box::new(MemberOpening {
            is_open: false,
            first: described.first,
            ready: described.ready,
            until: Nanos::MAX,
            limit: described.limit,
        })),
        documents: described.documents,
        talk: described.talk,
        close: None,
    };
    let dial = MemberDial {
        member,
        endpoint: described.endpoint,
        opener: described.opener,
        state,
        number,
    };
    match described.shared {
        Some(identity) => share(base, dial, identity),
        None => base.dial(Dial::Member(Box::new(dial))),
    }
}
