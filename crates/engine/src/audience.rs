//! Passive audiences: receivers without a script, spread over all workers.
//!
//! A member is a connection that [`Owner::Member`](crate::owner::Owner) owns, or a subscription on a connection that
//! several members share (`sharing`). `run` opens the connections before a level starts, `arrival` passes what they receive to
//! the [`delivery::Listeners`] of the worker, and `wait` lets deliveries settle at the end of the level. No worker knows
//! which messages the others have sent, so control compares what was sent with what was received when the level has ended
//! (`fates`).

mod arrival;
mod channel;
mod connecting;
mod described;
mod end;
mod events;
mod failing;
mod fates;
mod link;
mod member;
mod members;
mod nats;
mod opening;
mod plan;
mod redis;
mod run;
mod sharing;
mod socketio;
mod state;
mod transport;
mod wait;
mod websocket;

pub(crate) use channel::{channel_of, find_channel, stamp_for};
pub(crate) use connecting::open;
pub(crate) use end::{close, opened, received, timed_out};
pub(crate) use failing::{broke, closed};
pub(crate) use fates::{AudienceCount, AudienceResult, note_clock_error, take_broadcasts};
pub(crate) use link::MemberLink;
pub(crate) use member::MemberState;
pub(crate) use plan::AudiencePlan;
pub(crate) use run::AudienceRun;
pub(crate) use state::Audiences;
pub(crate) use wait::{AudienceWait, SentToAudiences};
