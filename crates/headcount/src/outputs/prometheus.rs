use std::future;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use axum::Router;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use engine::Second;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

use super::local_server::{LocalServer, Port};

const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// An endpoint for Prometheus on a thread of its own, until the run ends. It shows the latest second that all workers
/// have reported, and totals.
#[derive(Debug)]
pub(super) struct ScrapeEndpoint {
    address: SocketAddr,
    metrics: Metrics,
    _server: LocalServer,
}

impl ScrapeEndpoint {
    pub(super) fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let port = Port::open(address)?;
        let address = port.address();
        let (metrics, registry) = Metrics::new();
        let server = port.serve("metrics", router(registry), future::ready(()))?;
        Ok(Self {
            address,
            metrics,
            _server: server,
        })
    }

    pub(super) fn url(&self) -> String {
        format!("http://{}/metrics", self.address)
    }

    pub(super) fn update(&self, second: &Second) {
        self.metrics.update(second);
    }
}

fn router(registry: Registry) -> Router {
    let registry = Arc::new(registry);
    Router::new().route("/metrics", get(async move || exposition(&registry)))
}

fn exposition(registry: &Registry) -> Response {
    let mut text = String::new();
    // Writing to a string cannot fail, so an error is a bug in a metric.
    match encode(&mut text, registry) {
        Ok(()) => ([(CONTENT_TYPE, OPEN_METRICS)], text).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}

/// A gauge of fractions.
type Fraction = Gauge<f64, AtomicU64>;

#[derive(Debug, Default)]
struct Metrics {
    level: Gauge,
    users: Gauge,
    requests: Counter,
    failed: Counter,
    round_trips: Counter,
    messages: Counter,
    deliveries: Counter,
    median: Fraction,
    p95: Fraction,
    p99: Fraction,
    longest: Fraction,
    busiest_worker: Fraction,
}

impl Metrics {
    fn new() -> (Self, Registry) {
        let metrics = Self::default();
        let mut registry = Registry::with_prefix("headcount");
        let gauges = [
            ("level", "Number of the level, from 1", &metrics.level),
            (
                "users",
                "Planned number of users of the level",
                &metrics.users,
            ),
        ];
        for (name, help, gauge) in gauges {
            registry.register(name, help, gauge.clone());
        }
        let counters = [
            ("requests", "Requests that ended", &metrics.requests),
            (
                "failed",
                "Requests and round trips that failed",
                &metrics.failed,
            ),
            (
                "round_trips",
                "Round trips that ended",
                &metrics.round_trips,
            ),
            ("messages", "Messages sent", &metrics.messages),
            ("deliveries", "Deliveries received", &metrics.deliveries),
        ];
        for (name, help, counter) in counters {
            registry.register(name, help, counter.clone());
        }
        let times = [
            (
                "latency_median",
                "Median of the latest second: of deliveries, else of responses; NaN without enough samples",
                &metrics.median,
            ),
            (
                "latency_p95",
                "95th percentile of the latest second",
                &metrics.p95,
            ),
            (
                "latency_p99",
                "99th percentile of the latest second",
                &metrics.p99,
            ),
            (
                "latency_max",
                "Maximum of the latest second",
                &metrics.longest,
            ),
        ];
        for (name, help, time) in times {
            time.set(f64::NAN);
            registry.register_with_unit(name, help, Unit::Seconds, time.clone());
        }
        registry.register_with_unit(
            "busiest_worker",
            "Share of the latest second in which the busiest worker was busy",
            Unit::Other("ratio".to_owned()),
            metrics.busiest_worker.clone(),
        );
        (metrics, registry)
    }

    fn update(&self, second: &Second) {
        let window = &second.window;
        self.level.set(second.level.into());
        self.users.set(window.users.try_into().unwrap_or(i64::MAX));
        self.requests.inc_by(window.requests);
        self.failed.inc_by(window.failed);
        self.round_trips.inc_by(window.round_trips);
        self.messages.inc_by(window.messages);
        self.deliveries.inc_by(window.deliveries);
        let times = [
            (&self.median, window.p50_ms),
            (&self.p95, window.p95_ms),
            (&self.p99, window.p99_ms),
            (&self.longest, window.max_ms),
        ];
        for (gauge, ms) in times {
            gauge.set(ms.map_or(f64::NAN, |ms| ms / 1e3));
        }
        if let Some(percent) = second.busiest_worker_percent {
            self.busiest_worker.set(percent / 100.0);
        }
    }
}

#[cfg(test)]
mod tests {
    use record::Window;

    use super::*;

    #[test]
    fn metrics_show_totals_and_the_latest_second() {
        let (metrics, registry) = Metrics::new();
        let second = |p95_ms| Second {
            level: 1,
            window: Window {
                users: 50,
                deliveries: 40,
                p95_ms,
                ..Window::default()
            },
            busiest_worker_percent: Some(25.0),
        };
        metrics.update(&second(None));
        metrics.update(&second(Some(2.0)));
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        for line in [
            "headcount_deliveries_total 80",
            "headcount_users 50",
            "headcount_latency_p95_seconds 0.002",
            "headcount_latency_p99_seconds NaN",
            "headcount_busiest_worker_ratio 0.25",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
    }
}
