use model::Nanos;

use crate::exchange::Exchange;
use crate::hull::{LineBelow, Point, line_below};

/// One part in a million: a microsecond per second.
const PPM: f64 = 1e-6;

/// The assumed error of a measured rate, in addition to that of the measurement. The rate of a clock changes with its
/// temperature, and a daemon may adjust it.
const WANDER: f64 = 20.0 * PPM;

/// The stated uncertainty in standard errors. The errors have exponential tails: 3 are exceeded in one of 400 windows, and 7
/// in about one of a million.
const STANDARD_ERRORS: f64 = 7.0;

/// The fewest exchanges that a rate can be measured with.
const FEWEST_EXCHANGES: usize = 10;

/// How fast the offset of a peer's clock changes, and how well that is known. Both are in seconds per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drift {
    /// The change of the offset. Positive if the peer's clock is faster.
    pub rate: f64,
    /// The largest assumed error of `rate`, never negative.
    pub uncertainty: f64,
}

impl Drift {
    /// The drift before any measurement. Crystals of computers differ by up to 100 ppm.
    pub const UNKNOWN: Self = Self {
        rate: 0.0,
        uncertainty: 100.0 * PPM,
    };

    /// The rate in parts per million.
    pub fn rate_ppm(self) -> f64 {
        self.rate / PPM
    }

    /// The uncertainty in parts per million.
    pub fn uncertainty_ppm(self) -> f64 {
        self.uncertainty / PPM
    }

    /// By how many nanoseconds the offset changes from one time to another: at least, and at most.
    pub(crate) fn change(self, from: Nanos, to: Nanos) -> (f64, f64) {
        let time = signed_difference(to, from);
        let (middle, error) = (self.rate * time, self.uncertainty * time.abs());
        (middle - error, middle + error)
    }

    /// Measures the drift. It is [`Drift::UNKNOWN`] if the exchanges cannot tell more than that.
    pub(crate) fn measure(exchanges: &[Exchange]) -> Self {
        let measured = slopes(exchanges).map(|slopes| slopes.drift());
        measured
            .filter(|drift| drift.uncertainty < Self::UNKNOWN.uncertainty)
            .unwrap_or(Self::UNKNOWN)
    }
}

/// The two lines that enclose the offset, and what decides their precision.
struct Slopes {
    /// Below all upper bounds.
    below_upper: LineBelow,
    /// Above all lower bounds. Both axes of the points are reversed, so that it is a line below them of the same slope.
    above_lower: LineBelow,
    exchanges: f64,
    /// Time from the first to the last exchange, in nanoseconds.
    length: f64,
}

fn slopes(exchanges: &[Exchange]) -> Option<Slopes> {
    if exchanges.len() < FEWEST_EXCHANGES {
        return None;
    }
    let origin = *exchanges.first()?;
    let upper = exchanges.iter().map(|exchange| Point {
        x: signed_difference(exchange.sent, origin.sent),
        y: (exchange.upper_bound() - origin.upper_bound()).0 as f64,
    });
    let lower = exchanges.iter().map(|exchange| Point {
        x: -signed_difference(exchange.returned, origin.returned),
        y: -((exchange.lower_bound() - origin.lower_bound()).0 as f64),
    });
    let upper: Vec<_> = upper.collect();
    let times = upper.iter().map(|point| point.x);
    let latest = times.clone().fold(f64::MIN, f64::max);
    let earliest = times.fold(f64::MAX, f64::min);
    Some(Slopes {
        below_upper: line_below(&upper)?,
        above_lower: line_below(&lower.collect::<Vec<_>>())?,
        exchanges: exchanges.len() as f64,
        length: latest - earliest,
    })
}

impl Slopes {
    fn drift(&self) -> Drift {
        let (upper, lower) = (self.below_upper.slope, self.above_lower.slope);
        Drift {
            rate: f64::midpoint(upper, lower),
            uncertainty: WANDER
                + (upper - lower).abs() / 2.0
                + STANDARD_ERRORS * self.standard_error(),
        }
    }

    /// The standard error of the mean slope, if delays have an exponential part.
    ///
    /// A line rests on one exchange in each half of the window, about half a window apart. The fastest of n/2 messages
    /// has 2/n of the mean excess delay, with a standard deviation of the same size. So the slope of a line has the
    /// standard error √2 · (2/n · excess) / (length/2), and the mean of two slopes has 1/√2 of it.
    fn standard_error(&self) -> f64 {
        let excess = f64::midpoint(self.below_upper.mean_height, self.above_lower.mean_height);
        4.0 * excess / (self.exchanges * self.length)
    }
}

fn signed_difference(a: Nanos, b: Nanos) -> f64 {
    let size = a.0.abs_diff(b.0) as f64;
    if a < b { -size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An exchange without jitter with a clock that is 40 ppm fast.
    fn exchange(second: u64) -> Exchange {
        let sent = second * 1_000_000_000;
        let peer = |local: u64| Nanos(7_000 + local + local * 40 / 1_000_000);
        Exchange {
            sent: Nanos(sent),
            received: peer(sent + 100_000),
            replied: peer(sent + 100_000),
            returned: Nanos(sent + 400_000),
        }
    }

    #[test]
    fn without_jitter_only_the_wander_is_uncertain() {
        let exchanges: Vec<_> = (0..30).map(exchange).collect();
        let drift = Drift::measure(&exchanges);
        assert!((drift.rate_ppm() - 40.0).abs() < 0.01, "{drift:?}");
        assert!((drift.uncertainty_ppm() - 20.0).abs() < 0.01, "{drift:?}");
    }

    #[test]
    fn few_or_simultaneous_exchanges_leave_the_drift_unknown() {
        let few: Vec<_> = (0..9).map(exchange).collect();
        assert_eq!(Drift::measure(&few), Drift::UNKNOWN);
        assert_eq!(Drift::measure(&[exchange(1); 20]), Drift::UNKNOWN);
    }
}
