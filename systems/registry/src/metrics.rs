use std::sync::atomic::AtomicU64;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry as Metrics;

use crate::tenant::Tenants;
use crate::tracking::Cause;

/// An answered request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
pub(crate) struct Answered {
    pub(crate) operation: &'static str,
    pub(crate) status: u16,
}

/// The cause of failed deliveries.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Failed {
    cause: &'static str,
}

/// The registry's counters and histograms. Clones share the same values. Their names are those that the reviewed design
/// of the field report asks for.
#[derive(Clone, Debug)]
pub(crate) struct Counters {
    pub(crate) answers: Family<Answered, Counter>,
    pub(crate) expired: Counter,
    pub(crate) acknowledged: Counter,
    pub(crate) redelivered: Counter,
    pub(crate) too_slow: Counter,
    pub(crate) store_failures: Counter,
    failures: Family<Failed, Counter>,
    delivered: Histogram,
    register: Histogram,
    enumerate: Histogram,
    multicast: Histogram,
}

/// An operation whose duration is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Timed {
    Register,
    Enumerate,
    Multicast,
}

impl Default for Counters {
    fn default() -> Self {
        // From 50 µs to 26 s, so that a slow request is never hidden in a bucket without an upper end.
        let seconds = || Histogram::new(exponential_buckets(50e-6, 2.0, 20));
        Self {
            answers: Family::default(),
            expired: Counter::default(),
            acknowledged: Counter::default(),
            redelivered: Counter::default(),
            too_slow: Counter::default(),
            store_failures: Counter::default(),
            failures: Family::default(),
            delivered: Histogram::new(exponential_buckets(1.0, 4.0, 9)),
            register: seconds(),
            enumerate: seconds(),
            multicast: seconds(),
        }
    }
}

impl Counters {
    /// Counts failed deliveries of one multicast.
    pub(crate) fn failed(&self, cause: Cause, deliveries: u64) {
        let cause = cause.word();
        self.failures
            .get_or_create(&Failed { cause })
            .inc_by(deliveries);
    }

    /// Records the number of deliveries of one multicast that did not fail.
    pub(crate) fn delivered(&self, deliveries: usize) {
        self.delivered.observe(deliveries as f64);
    }

    /// Records the duration of an operation in seconds.
    pub(crate) fn time(&self, timed: Timed, seconds: f64) {
        let histogram = match timed {
            Timed::Register => &self.register,
            Timed::Enumerate => &self.enumerate,
            Timed::Multicast => &self.multicast,
        };
        histogram.observe(seconds);
    }

    /// Registers all metrics for `/metrics`.
    pub(crate) fn register(&self, metrics: &mut Metrics) {
        let mut own = |name: &str, help: &str, counter: &Counter<u64, AtomicU64>| {
            metrics.register(format!("multicast_registry_{name}"), help, counter.clone());
        };
        own(
            "ttl_expiration",
            "Registrations whose time to live ended",
            &self.expired,
        );
        own(
            "acknowledgements",
            "Acknowledged deliveries",
            &self.acknowledged,
        );
        own(
            "redeliveries",
            "Messages that were sent again",
            &self.redelivered,
        );
        own(
            "slow_receivers",
            "Inboxes closed because their queue was full",
            &self.too_slow,
        );
        own(
            "store_failures",
            "Failed writes to the database",
            &self.store_failures,
        );
        let answers = self.answers.clone();
        metrics.register(
            "multicast_registry_requests",
            "Responses by operation and status",
            answers,
        );
        let failures = self.failures.clone();
        metrics.register(
            "multicast_registry_delivery_failures",
            "Failed deliveries by cause",
            failures,
        );
        for (name, help, histogram) in [
            (
                "multicast_delivered_total",
                "Deliveries per multicast that did not fail",
                &self.delivered,
            ),
            (
                "register_latency_seconds",
                "Duration of registrations",
                &self.register,
            ),
            (
                "enumerate_latency_seconds",
                "Duration of enumerations",
                &self.enumerate,
            ),
            (
                "multicast_latency_seconds",
                "Duration of multicasts",
                &self.multicast,
            ),
        ] {
            metrics.register(
                format!("multicast_registry_{name}"),
                help,
                histogram.clone(),
            );
        }
    }
}

/// The numbers of identities and receivers of each namespace, counted when they are asked for.
#[derive(Debug)]
pub(crate) struct Population(pub(crate) Tenants);

impl Collector for Population {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        let identities = self
            .0
            .values()
            .map(|tenant| (tenant, tenant.view.read().len()));
        let receivers = self.0.values().map(|tenant| (tenant, tenant.receivers()));
        let gauges: [(&str, &str, Vec<_>); 2] = [
            (
                "registered_identities",
                "Registered identities",
                identities.collect(),
            ),
            ("receivers", "Open inboxes and watches", receivers.collect()),
        ];
        for (name, help, counts) in gauges {
            let name = format!("multicast_registry_{name}");
            let mut metric = encoder.encode_descriptor(&name, help, None, MetricType::Gauge)?;
            for (tenant, count) in counts {
                let labels = [("namespace", tenant.name.as_str())];
                let gauge = ConstGauge::new(i64::try_from(count).unwrap_or(i64::MAX));
                gauge.encode(metric.encode_family(&labels)?)?;
            }
        }
        Ok(())
    }
}
