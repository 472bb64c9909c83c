//! What a search does at the moment.

use super::answer::Ended;
use super::confirmation::Confirmation;

/// The figures of a low load, to notice a target that becomes slower.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reference {
    pub(super) load: f64,
    pub(super) median_ms: Option<f64>,
    pub(super) at_s: f64,
}

/// The part of a search, and its state.
#[derive(Clone, Debug)]
pub(super) enum Phase {
    WarmUp {
        looks: u32,
        before_ms: Option<f64>,
    },
    Expand {
        low: f64,
        factor: f64,
    },
    Reference {
        looks: u32,
        low: f64,
    },
    Refine,
    Confirm(Confirmation),
    Above {
        above: f64,
        long: bool,
    },
    Drift {
        looks: u32,
    },
    Recover {
        began_s: f64,
        pause_s: f64,
        then: Box<Phase>,
    },
    Overload {
        trials: u32,
    },
    Over(Ended),
}
