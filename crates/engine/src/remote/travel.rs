use model::Nanos;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::machine::MachineUse;
use crate::level::{SetupResult, SlotRange};
use crate::messages::Event;

/// A command on its way to an agent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    /// The number of the worker within its agent; `None`: all of them.
    pub(super) worker: Option<u32>,
    pub(super) what: What,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum What {
    Setup,
    /// The result of `setup`, before the first level.
    Prepared(SetupResult),
    Audience {
        level: u32,
        users: u32,
        setup: Option<String>,
        slots: SlotRange,
    },
    SettleAudiences(Vec<u64>),
    Level {
        index: u32,
        start: Nanos,
        slots: SlotRange,
    },
    Teardown,
    Snapshot,
    EndHold,
    Abort,
    Exit,
}

/// An event on its way from an agent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Report {
    /// An event of the worker with this number within its agent.
    Event(u32, Event),
    /// The machine's figures of a level, before the first worker reports that the level is done.
    Machine(MachineUse),
    /// A worker's thread ended without a command.
    Died(String),
}

pub(super) fn encode<T: Serialize>(message: &T) -> Result<Vec<u8>, String> {
    serde_json::to_vec(message).map_err(|why| why.to_string())
}

pub(super) fn decode<T: DeserializeOwned>(message: &[u8]) -> Result<T, String> {
    serde_json::from_slice(message).map_err(|why| why.to_string())
}
