//! Derives the true outcome of each threshold from the server's log. Nothing here uses headcount's measurements.

use super::kind::{Fault, Load, Protocol, Shape};
use super::log::{Micros, Request};
use super::room;
use super::sample::{Known, Sample, Samples, Truth};
use super::scene::Scene;
use super::thresholds::{Figure, Form, Of, Threshold};

/// Uncertainty of a client's timeout, because it is estimated from the server's log.
const LIMIT: Micros = 60_000;

/// Returns whether the threshold holds.
pub(crate) fn truth(scene: &Scene<'_>, threshold: &Threshold) -> Truth {
    let samples = samples(scene, threshold);
    let limit = threshold.limit;
    match threshold.figure {
        Figure::Quantile(percent) => samples.quantile_below(percent / 100.0, limit),
        Figure::Max => samples.max_below(limit),
        Figure::Mean => samples.mean_below(limit),
        Figure::Count => samples.count_at_least(limit),
        Figure::Rate => rate_at_least(scene, &samples, limit),
        Figure::Bad(_, Form::AtMost) => samples.bad_at_most(limit),
        Figure::Bad(_, Form::Share) => samples.bad_below(limit),
        Figure::Delivered => samples.good_at_least(limit),
    }
}

/// Whether the rate in the measured time is at least `limit`. Only the load tester knows the exact measured time.
fn rate_at_least(scene: &Scene<'_>, samples: &Samples, limit: f64) -> Truth {
    if scene.cell.kind.load == Load::Once {
        return Truth::Undecided;
    }
    let seconds = scene.cell.parameters.duration as f64 / 1000.0;
    let broken = samples.count_at_least(limit * seconds * 0.95);
    let holds = samples.count_at_least(limit * seconds * 1.05);
    match (broken, holds) {
        (Truth::Broken, _) => Truth::Broken,
        (_, Truth::Holds) => Truth::Holds,
        _ => Truth::Undecided,
    }
}

/// Returns the samples of the threshold's operations.
pub(crate) fn samples(scene: &Scene<'_>, threshold: &Threshold) -> Samples {
    if threshold.of == Of::Deliveries {
        return room::samples(scene, threshold.figure);
    }
    let kind = &scene.cell.kind;
    if threshold.of == Of::Iterations && kind.load == Load::Once {
        // With `once`, an iteration has several requests, and the log does not show where an iteration begins and
        // ends.
        return Samples {
            all: vec![Sample::unknown(true)],
            is_open: true,
        };
    }
    let requests = scene.log.requests.iter();
    let counted = requests.filter(|request| !request.opens && request.read >= scene.begin);
    let all = counted.filter_map(|request| match threshold.of {
        Of::Checks => of_check(scene, request),
        Of::Iterations => Some(of_iteration(scene, request)),
        _ => Some(of_request(scene, request)),
    });
    Samples {
        all: all.collect(),
        is_open: scene.cell.fault.hides_requests(kind) && threshold.of != Of::Checks,
    }
}

/// Returns the sample of a request, or of a message that the server returns.
fn of_request(scene: &Scene<'_>, request: &Request) -> Sample {
    let certain = scene.is_certain(request.read);
    if scene.cell.fault.confuses_replies(&scene.cell.kind) {
        return Sample::unknown(certain);
    }
    let left = request
        .gone
        .unwrap_or_else(|| scene.log.left(request.connection));
    match request.answered.filter(|answered| *answered <= left) {
        Some(answered) => of_answered(scene, request, answered, certain),
        None => of_unanswered(scene, request, left, certain),
    }
}

fn of_answered(scene: &Scene<'_>, request: &Request, answered: Micros, certain: bool) -> Sample {
    let took = answered.saturating_sub(request.read);
    // The server reads its clock after writing, and may have been interrupted between the two.
    let at_least = took.saturating_sub(scene.log.lag);
    let timeout = scene.cell.parameters.timeout * 1000;
    let in_time = took + scene.tolerance < timeout;
    Sample {
        certain,
        timed: if in_time { Known::Yes } else { Known::Maybe },
        lower: at_least as f64,
        upper: if in_time {
            (took + scene.tolerance) as f64
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

fn of_unanswered(scene: &Scene<'_>, request: &Request, left: Micros, certain: bool) -> Sample {
    let (kind, fault) = (&scene.cell.kind, scene.cell.fault);
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
        Fault::Close | Fault::Reset | Fault::Truncate => scene.log.closed_here(request.connection),
        Fault::WrongProtocol | Fault::PartlyWrongProtocol => {
            kind.shape == Shape::Request && scene.log.closed_here(request.connection)
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
    if waited + LIMIT >= scene.cell.parameters.timeout * 1000 {
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
fn of_iteration(scene: &Scene<'_>, request: &Request) -> Sample {
    let one = of_request(scene, request);
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
fn of_check(scene: &Scene<'_>, request: &Request) -> Option<Sample> {
    let one = of_request(scene, request);
    match (one.timed, one.upper.is_finite()) {
        (Known::Yes, true) => Some(one),
        (Known::Yes, false) => None,
        _ => Some(Sample::unknown(one.certain)),
    }
}
