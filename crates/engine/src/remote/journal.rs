//! What a coordinator notes while a run is in progress, so that another one can resume the run if it is killed.

use std::ops::Range;

use model::Nanos;
use record::{Level, Note, Run, Setup};
use serde::{Deserialize, Serialize};

use crate::level::SetupResult;

/// An entry of the journal. Entries are stored in their order.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Entry {
    /// The run begins, or is resumed. The record has what was measured before.
    Begun(Box<Run>),
    /// `setup` has ended, or the scenario has none.
    SetUp {
        result: SetupResult,
        record: Option<Box<Setup>>,
    },
    LevelBegan(Began),
    /// A level is closed. The notes are those of the whole run so far.
    LevelDone {
        level: Box<Level>,
        notes: Vec<Note>,
        /// Whether the run ends with this level, although the plan may have more.
        is_last: bool,
    },
}

/// The start of a level.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Began {
    pub(crate) index: u32,
    /// The time of the entry, on the run's clock.
    pub(crate) now: Nanos,
    /// The agreed start of the level, on the run's clock.
    pub(crate) start: Nanos,
    /// The agents of the level, with the numbers of their workers.
    pub(crate) agents: Vec<(String, Range<u32>)>,
}

/// What a resumed run starts with, apart from its record.
#[derive(Debug)]
pub(crate) struct Resumed {
    pub(crate) setup: SetupResult,
    /// Whether no further level follows.
    pub(crate) is_over: bool,
}
