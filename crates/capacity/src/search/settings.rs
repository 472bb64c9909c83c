use serde::{Deserialize, Serialize};

/// The searched range, the wanted precision and the available time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// The first load.
    pub first: f64,
    /// The lowest load that may be tried.
    pub least: f64,
    /// The largest load that may be tried.
    pub most: f64,
    /// Whether loads are whole numbers, such as users.
    pub whole: bool,
    /// The wanted relative precision of the stable ceiling: 0.05 for 5 %.
    pub precision: f64,
    /// The available time in seconds.
    pub budget_s: f64,
    /// Time in seconds that a resumed search has in addition. It does not change the lengths of the trials.
    #[serde(default)]
    pub extended_s: f64,
    /// The longest time limit of a threshold in seconds; 0 if no threshold limits a time.
    pub limit_s: f64,
    /// Time of a trial before its measurement in seconds: ramp-up, warm-up, start and end.
    pub lead_s: f64,
    /// The part of it that is ramp-up. 0 in older searches.
    #[serde(default)]
    pub ramp_s: f64,
}

/// The budget in seconds for which the lengths of the trials below are meant.
const USUAL_BUDGET_S: f64 = 240.0;
/// Shorter and longer budgets scale the trials by at most these factors.
const SCALES: (f64, f64) = (0.2, 2.0);
/// Share of the budget that the search plans with. The rest covers the last trial and saving.
const USED: f64 = 0.94;

/// Measured times of the trials in seconds, by their purpose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Lengths {
    pub(super) warm_up: f64,
    pub(super) short: f64,
    pub(super) refine: f64,
    pub(super) long: f64,
    pub(super) recovery: f64,
}

impl Settings {
    /// The lengths of the trials. A load that exceeds the ceiling by the wanted precision shows only after
    /// `limit ÷ precision`: until then, the queue that it builds up is shorter than the limit.
    pub(super) fn lengths(&self) -> Lengths {
        let scale = (self.budget_s / USUAL_BUDGET_S).clamp(SCALES.0, SCALES.1);
        let visible = self.limit_s / self.precision;
        let refine = 6.0 * scale;
        let long = 9.0 * scale;
        Lengths {
            warm_up: (2.0 * scale).max(1.0),
            short: (3.0 * scale).max(1.5),
            refine: refine.max(visible).min(10.0 * scale),
            long: long.max(1.2 * visible).min(20.0 * scale),
            recovery: 1.0,
        }
    }

    /// The length of a trial at the first load: long enough for a few values if the load is a low rate.
    pub(super) fn warm_up_s(&self, usual: f64) -> f64 {
        const VALUES: f64 = 5.0;
        const MOST_S: f64 = 6.0;
        if self.whole {
            usual
        } else {
            usual.max((VALUES / self.first).min(MOST_S))
        }
    }

    /// The seconds that the search may spend.
    pub(super) fn usable_s(&self) -> f64 {
        self.budget_s * USED + self.extended_s
    }

    /// Rounds a load to one that can be tried.
    pub(super) fn shape(&self, load: f64) -> f64 {
        let rounded = if self.whole {
            load.round()
        } else {
            four_digits(load)
        };
        rounded.clamp(self.least, self.most)
    }

    /// The least distance between two loads. 0 if loads are not whole numbers.
    pub(super) fn step(&self) -> f64 {
        f64::from(u8::from(self.whole))
    }
}

/// Rounds to four significant digits, so that the text of a load is the load itself.
fn four_digits(load: f64) -> f64 {
    const DIGITS: f64 = 3.0;
    let scale = 10_f64.powf(DIGITS - load.max(1e-9).log10().floor());
    (load * scale).round() / scale
}
