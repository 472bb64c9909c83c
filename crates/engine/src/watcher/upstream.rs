//! Counts the connections that the target has opened to other services.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::net::SocketAddr;

use model::Nanos;
use probe::{Sample, upstreams};
use record::Upstream;

use super::sampling::EVERY;
use crate::clock::Clock;

/// A count may take at most 1/`COST` of the time, so many descriptors are counted less often.
const COST: u64 = 50;
/// Maximum number of services in the record.
const SERVICES: usize = 8;

/// Samples in the measured time.
#[derive(Debug, Default)]
pub(super) struct UpstreamWatch {
    samples: Vec<BTreeMap<SocketAddr, u64>>,
    next: Nanos,
}

impl UpstreamWatch {
    pub(super) fn watch(&mut self, target: &Sample, port: u16, now: Nanos, clock: Clock) {
        if now < self.next {
            return;
        }
        let began = clock.now();
        let pids: Vec<i32> = target.processes.iter().map(|one| one.pid).collect();
        self.samples.extend(upstreams(&pids, port));
        let took = clock.now() - began;
        self.next = now + EVERY.max(Nanos(took.0.saturating_mul(COST)));
    }

    /// The services with the most connections. The first sample is left out: pools fill then.
    pub(super) fn services(&self) -> Vec<Upstream> {
        let samples = self.samples.get(1..).unwrap_or_default();
        let mut most: BTreeMap<SocketAddr, u64> = BTreeMap::new();
        for (address, count) in samples.iter().flatten() {
            let known = most.entry(*address).or_default();
            *known = (*known).max(*count);
        }
        let mut services: Vec<Upstream> = most
            .into_iter()
            .map(|(address, most)| {
                let counts = samples.iter().map(|sample| sample.get(&address));
                Upstream {
                    address: address.to_string(),
                    least: counts
                        .map(|count| count.copied().unwrap_or(0))
                        .min()
                        .unwrap_or(0),
                    most,
                }
            })
            .collect();
        services.sort_by_key(|service| Reverse(service.most));
        services.truncate(SERVICES);
        services
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_has_its_smallest_and_largest_count_after_the_first_sample() {
        let address = |port| SocketAddr::from(([10, 0, 0, 7], port));
        let sample = |counts: &[(u16, u64)]| {
            let counts = counts.iter();
            counts
                .map(|(port, count)| (address(*port), *count))
                .collect()
        };
        let watch = UpstreamWatch {
            samples: vec![
                sample(&[(5432, 1)]),
                sample(&[(5432, 4), (6379, 9)]),
                sample(&[(5432, 4)]),
            ],
            next: Nanos::ZERO,
        };
        let services = watch.services();
        let figures: Vec<_> = services
            .iter()
            .map(|one| (one.address.as_str(), one.least, one.most))
            .collect();
        assert_eq!(figures, [("10.0.0.7:6379", 0, 9), ("10.0.0.7:5432", 4, 4)]);
        assert_eq!(UpstreamWatch::default().services(), []);
    }
}
