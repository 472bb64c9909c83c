//! How far the confirmation of a load has come.

/// Number of long trials that must hold at a ceiling.
pub(super) const REPETITIONS: u32 = 4;
/// The same for a load that the target holds at least.
const REPETITIONS_AT_LEAST: u32 = 2;

/// Long trials at one load.
#[derive(Clone, Copy, Debug)]
pub(super) struct Confirmation {
    pub(super) load: f64,
    /// The load above, which should fail. `None` if only a lower bound of the ceiling is wanted.
    pub(super) above: Option<f64>,
    /// Long trials that held, including earlier ones at this load.
    pub(super) held: u32,
    /// Long trials that could not decide a threshold.
    pub(super) undecided: u32,
}

impl Confirmation {
    /// Shows that the target holds at least this load.
    pub(super) fn at_least(load: f64) -> Self {
        Self {
            load,
            above: None,
            held: 0,
            undecided: 0,
        }
    }

    /// Whether only a lower bound of the ceiling is wanted.
    pub(super) fn is_at_least(&self) -> bool {
        self.above.is_none()
    }

    /// Number of long trials that must hold.
    pub(super) fn repetitions(&self) -> u32 {
        match self.above {
            Some(_) => REPETITIONS,
            None => REPETITIONS_AT_LEAST,
        }
    }
}
