//! Samples of messages in rooms: the deliveries that the log shows, with their time, number and order.

use std::collections::BTreeMap;

use super::log::{Delivery, Micros};
use super::sample::{Known, Sample, Samples};
use super::scene::Scene;
use super::thresholds::{Bad, Figure};

/// Uncertainty of the end of the settle time, because it is estimated from the server's log.
const SETTLE: Micros = 60_000;

/// Returns one sample per delivery. A sample is bad if the figure counts its delivery.
pub(crate) fn samples(scene: &Scene<'_>, figure: Figure) -> Samples {
    let overtaken = overtaken(&scene.log.deliveries);
    let all = scene.log.deliveries.iter().zip(overtaken);
    let all = all.map(|(delivery, overtaken)| {
        let (base, seen) = base(scene, delivery);
        let (bad, times) = match figure {
            Figure::Bad(bad, _) => counted(scene, delivery, bad, seen, overtaken),
            _ => (not_in_time(scene, delivery, seen), 1),
        };
        Sample { bad, times, ..base }
    });
    Samples {
        all: all.collect(),
        // If the server has closed a connection, messages sent into it never arrive and are missing here.
        is_open: scene.cell.fault.cuts_members(),
    }
}

fn took(delivery: &Delivery) -> Option<Micros> {
    let written = delivery.written.iter().min();
    written.map(|written| written.saturating_sub(delivery.read))
}

/// Returns the latency of a delivery, and whether the receiver saw the delivery before the settle time ended.
fn base(scene: &Scene<'_>, delivery: &Delivery) -> (Sample, Known) {
    let certain = scene.is_certain(delivery.read);
    let unknown = Sample::unknown(certain);
    let settle = scene.cell.parameters.settle * 1000;
    let left = scene.log.left(delivery.receiver);
    let stayed = left.saturating_sub(delivery.read);
    let Some(took) = took(delivery).filter(|took| *took <= stayed) else {
        let is_lost = scene.cell.fault.is_for_ever() && stayed + SETTLE >= settle;
        let timed = if is_lost { Known::No } else { Known::Maybe };
        let seen = if is_lost { Known::No } else { Known::Maybe };
        return (Sample { timed, ..unknown }, seen);
    };
    // The server reads its clock after writing, and may have been interrupted between the two.
    let lower = took.saturating_sub(scene.log.lag) as f64;
    if took + scene.tolerance >= settle.min(stayed) {
        return (Sample { lower, ..unknown }, Known::Maybe);
    }
    let sample = Sample {
        timed: Known::Yes,
        lower,
        upper: (took + scene.tolerance) as f64,
        ..unknown
    };
    (sample, Known::Yes)
}

/// Whether the delivery was made after its deadline.
fn is_late(scene: &Scene<'_>, took: Micros) -> Known {
    let deadline = scene.cell.parameters.deadline * 1000;
    if took > deadline + 1000 {
        Known::Yes
    } else if took + scene.tolerance < deadline {
        Known::No
    } else {
        Known::Maybe
    }
}

fn not_in_time(scene: &Scene<'_>, delivery: &Delivery, seen: Known) -> Known {
    match (seen, took(delivery)) {
        (Known::No, _) => Known::Yes,
        (Known::Yes, Some(took)) => is_late(scene, took),
        _ => Known::Maybe,
    }
}

fn counted(
    scene: &Scene<'_>,
    delivery: &Delivery,
    bad: Bad,
    seen: Known,
    overtaken: Known,
) -> (Known, u64) {
    let copies = delivery.written.len() as u64;
    match (bad, seen) {
        (Bad::Lost, Known::Yes) | (Bad::Late | Bad::Duplicated | Bad::Reordered, Known::No) => {
            (Known::No, 1)
        }
        (Bad::Lost, Known::No) => (Known::Yes, 1),
        (Bad::Late, Known::Yes) => (is_late(scene, took(delivery).unwrap_or(0)), 1),
        (Bad::Duplicated, Known::Yes) if copies > 1 => {
            // The server sends the second copy directly after the first.
            (Known::Yes, copies - 1)
        }
        (Bad::Duplicated, _) if copies <= 1 && !has_second(scene) => (Known::No, 1),
        (Bad::Reordered, Known::Yes) => (overtaken, 1),
        (Bad::Misdelivered, _) => strayed(scene, delivery),
        _ => (Known::Maybe, 1),
    }
}

/// Whether the message was also delivered to a connected member of another room, and how often.
fn strayed(scene: &Scene<'_>, delivery: &Delivery) -> (Known, u64) {
    let is_seen = |(receiver, written): &(usize, Micros)| {
        scene.log.left(*receiver) >= written + scene.tolerance
    };
    match delivery.strays.len() as u64 {
        0 => (Known::No, 1),
        all if delivery.strays.iter().all(is_seen) => (Known::Yes, all),
        all => (Known::Maybe, all),
    }
}

fn has_second(scene: &Scene<'_>) -> bool {
    scene.cell.fault == super::kind::Fault::Duplicate
}

/// Returns for each delivery whether a later message of its sender was written to its receiver first.
fn overtaken(deliveries: &[Delivery]) -> Vec<Known> {
    let mut pairs: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
    for (place, delivery) in deliveries.iter().enumerate() {
        let pair = (delivery.sender, delivery.receiver);
        pairs.entry(pair).or_default().push(place);
    }
    let mut known = vec![Known::No; deliveries.len()];
    for places in pairs.values_mut() {
        places.sort_by_key(|place| deliveries[*place].message);
        // The loop runs backwards, so that `earliest` is the first write of all later messages.
        let mut earliest = Micros::MAX;
        for place in places.iter().rev() {
            let Some(written) = deliveries[*place].written.iter().min() else {
                continue;
            };
            known[*place] = match earliest.cmp(written) {
                std::cmp::Ordering::Less => Known::Yes,
                std::cmp::Ordering::Equal => Known::Maybe,
                std::cmp::Ordering::Greater => Known::No,
            };
            earliest = earliest.min(*written);
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_later_message_overtook_is_known() {
        let delivery = |message, written: &[u64]| Delivery {
            message,
            written: written.to_vec(),
            ..Delivery::default()
        };
        let all = [
            delivery(1, &[50]),
            delivery(2, &[20]),
            delivery(3, &[60, 61]),
        ];
        assert_eq!(overtaken(&all), [Known::Yes, Known::No, Known::No]);
    }
}
