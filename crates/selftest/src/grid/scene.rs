use super::cell::Cell;
use super::kind::Load;
use super::log::{Log, Micros};

/// Maximum time that network and scheduling add to the server's own time on a machine without stalls.
const WAY: Micros = 25_000;
/// Uncertainty of the start and the end of the measured time, because they are estimated from the first request.
const EDGE: Micros = 150_000;

/// The facts that the log of a cell shows.
#[derive(Clone, Debug)]
pub(crate) struct Scene<'a> {
    pub(crate) cell: &'a Cell,
    pub(crate) log: &'a Log,
    /// Maximum time by which a client's measurement may exceed the server's own time for an operation.
    pub(crate) tolerance: Micros,
    /// The time that is certainly measured. Operations that the server reads in this time count.
    sure: (Micros, Micros),
    /// Operations that the server read before this time do not count.
    pub(crate) begin: Micros,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(cell: &'a Cell, log: &'a Log) -> Self {
        let (warm_up, first) = (cell.warm_up() * 1000, log.first());
        let p = &cell.parameters;
        let sure = if cell.kind.load == Load::Once {
            (0, Micros::MAX)
        } else {
            let edge = if warm_up > 0 { EDGE } else { 0 };
            let end = first + warm_up + p.duration * 1000;
            (first + warm_up + edge, end.saturating_sub(EDGE + log.lag))
        };
        let before = if warm_up > 0 {
            p.timeout * 1000 + EDGE
        } else {
            0
        };
        Self {
            cell,
            log,
            tolerance: WAY + 2 * log.lag,
            sure,
            begin: (first + warm_up).saturating_sub(before),
        }
    }

    pub(crate) fn is_certain(&self, read: Micros) -> bool {
        (self.sure.0..self.sure.1).contains(&read)
    }
}
