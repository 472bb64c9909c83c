//! Derives the true outcome of each threshold from the server's log. Nothing here uses headcount's measurements.

use super::cell::Cell;
use super::kind::{Fault, Load, Protocol, Shape};
use super::log::{Log, Micros, Request};
use super::room;
use super::sample::{Known, Sample, Samples, Truth};
use super::thresholds::{Figure, Form, Of, Threshold};

/// Maximum time that network and scheduling add to the server's own time on a machine without stalls.
const WAY: Micros = 25_000;
/// Uncertainty of the start and the end of the measured time, because they are estimated from the first request.
const EDGE: Micros = 150_000;
/// Uncertainty of a client's timeout, because it is estimated from the server's log.
const LIMIT: Micros = 60_000;

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
    begin: Micros,
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

    pub(crate) fn truth(&self, threshold: &Threshold) -> Truth {
        let samples = self.samples(threshold);
        let limit = threshold.limit;
        match threshold.figure {
            Figure::Quantile(percent) => samples.quantile_below(percent / 100.0, limit),
            Figure::Max => samples.max_below(limit),
            Figure::Mean => samples.mean_below(limit),
            Figure::Count => samples.count_at_least(limit),
            Figure::Rate => self.rate_at_least(&samples, limit),
            Figure::Bad(_, Form::AtMost) => samples.bad_at_most(limit),
            Figure::Bad(_, Form::Share) => samples.bad_below(limit),
            Figure::Delivered => samples.good_at_least(limit),
        }
    }

    /// Whether the rate in the measured time is at least `limit`. Only the load tester knows the exact measured time.
    fn rate_at_least(&self, samples: &Samples, limit: f64) -> Truth {
        if self.cell.kind.load == Load::Once {
            return Truth::Undecided;
        }
        let seconds = self.cell.parameters.duration as f64 / 1000.0;
        let broken = samples.count_at_least(limit * seconds * 0.95);
        let holds = samples.count_at_least(limit * seconds * 1.05);
        match (broken, holds) {
            (Truth::Broken, _) => Truth::Broken,
            (_, Truth::Holds) => Truth::Holds,
            _ => Truth::Undecided,
        }
    }

    pub(crate) fn samples(&self, threshold: &Threshold) -> Samples {
        if threshold.of == Of::Deliveries {
            return room::samples(self, threshold.figure);
        }
        let kind = &self.cell.kind;
        if threshold.of == Of::Iterations && kind.load == Load::Once {
            // With `once`, an iteration has several requests, and the log does not show where an iteration begins and
            // ends.
            return Samples {
                all: vec![Sample::unknown(true)],
                is_open: true,
            };
        }
        let requests = self.log.requests.iter();
        let counted = requests.filter(|request| !request.opens && request.read >= self.begin);
        let all = counted.filter_map(|request| match threshold.of {
            Of::Checks => self.check(request),
            Of::Iterations => Some(self.iteration(request)),
            _ => Some(self.request(request)),
        });
        Samples {
            all: all.collect(),
            is_open: self.cell.fault.hides_requests(kind) && threshold.of != Of::Checks,
        }
    }

    /// Returns the sample of a request, or of a message that the server returns.
    fn request(&self, request: &Request) -> Sample {
        let certain = self.is_certain(request.read);
        if self.cell.fault.confuses_replies(&self.cell.kind) {
            return Sample::unknown(certain);
        }
        let left = request
            .gone
            .unwrap_or_else(|| self.log.left(request.connection));
        match request.answered.filter(|answered| *answered <= left) {
            Some(answered) => self.answered(request, answered, certain),
            None => self.unanswered(request, left, certain),
        }
    }

    fn answered(&self, request: &Request, answered: Micros, certain: bool) -> Sample {
        let took = answered.saturating_sub(request.read);
        // The server reads its clock after writing, and may have been interrupted between the two.
        let at_least = took.saturating_sub(self.log.lag);
        let timeout = self.cell.parameters.timeout * 1000;
        let in_time = took + self.tolerance < timeout;
        Sample {
            certain,
            timed: if in_time { Known::Yes } else { Known::Maybe },
            lower: at_least as f64,
            upper: if in_time {
                (took + self.tolerance) as f64
            } else {
                f64::INFINITY
            },
            bad: match (request.ok, in_time) {
                (false, _) => Known::Yes,
                (true, true) => Known::No,
                (true, false) => Known::Maybe,
            },
            times: 1,
        }
    }

    fn unanswered(&self, request: &Request, left: Micros, certain: bool) -> Sample {
        let (kind, fault) = (&self.cell.kind, self.cell.fault);
        let waited = left.saturating_sub(request.read);
        let never = Sample {
            certain,
            timed: Known::Yes,
            lower: f64::INFINITY,
            upper: f64::INFINITY,
            bad: Known::Yes,
            times: 1,
        };
        if fault.is_for_ever() {
            return never;
        }
        let is_cut = match fault {
            Fault::Reset | Fault::Truncate if kind.protocol == Protocol::Http2 => true,
            Fault::Close | Fault::Reset | Fault::Truncate => {
                self.log.closed_here(request.connection)
            }
            Fault::WrongProtocol | Fault::PartlyWrongProtocol => {
                kind.shape == Shape::Request && self.log.closed_here(request.connection)
            }
            _ => false,
        };
        if is_cut {
            // An idempotent request whose connection broke before any response may have been repeated.
            let again = kind.is_idempotent || kind.protocol == Protocol::Http2;
            let again = again && matches!(fault, Fault::Close | Fault::Reset);
            return Sample {
                timed: Known::Maybe,
                lower: 0.0,
                bad: if again { Known::Maybe } else { Known::Yes },
                ..never
            };
        }
        if waited + LIMIT >= self.cell.parameters.timeout * 1000 {
            return Sample {
                lower: waited as f64,
                ..never
            };
        }
        Sample {
            lower: waited as f64,
            ..Sample::unknown(certain)
        }
    }

    /// Returns the sample of an iteration with one request. The iteration fails if the request has no response.
    fn iteration(&self, request: &Request) -> Sample {
        let one = self.request(request);
        if one.timed == Known::Yes && one.upper.is_finite() {
            return Sample {
                bad: Known::No,
                ..one
            };
        }
        Sample {
            timed: Known::Maybe,
            lower: 0.0,
            ..one
        }
    }

    /// Returns the sample of a check of the status. `None` without a response, because the check is then not made.
    fn check(&self, request: &Request) -> Option<Sample> {
        let one = self.request(request);
        match (one.timed, one.upper.is_finite()) {
            (Known::Yes, true) => Some(one),
            (Known::Yes, false) => None,
            _ => Some(Sample::unknown(one.certain)),
        }
    }
}
