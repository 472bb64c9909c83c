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
use record::Window;

use super::local_server::{LocalServer, Port};
use super::metrics::{METRICS, Metric, Value};

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

/// The metrics as Prometheus shows them.
#[derive(Debug)]
struct Metrics(Vec<Shown>);

/// A metric that Prometheus shows.
#[derive(Debug)]
enum Shown {
    Total(fn(&Window) -> u64, Counter),
    Latest(Value, Fraction),
}

impl Metrics {
    fn new() -> (Self, Registry) {
        let mut registry = Registry::with_prefix("headcount");
        let metrics = METRICS.iter().map(|metric| shown(&mut registry, metric));
        (Self(metrics.collect()), registry)
    }

    fn update(&self, second: &Second) {
        for shown in &self.0 {
            match shown {
                Shown::Total(of, counter) => {
                    counter.inc_by(of(&second.window));
                }
                Shown::Latest(value, gauge) => {
                    if let Some(value) = value.latest(second) {
                        gauge.set(value);
                    }
                }
            }
        }
    }
}

fn shown(registry: &mut Registry, metric: &Metric) -> Shown {
    let Metric { name, help, value } = *metric;
    let gauge = Fraction::default();
    match value {
        Value::Total(of) => {
            let counter = Counter::default();
            registry.register(name, help, counter.clone());
            return Shown::Total(of, counter);
        }
        Value::Number(_) => registry.register(name, help, gauge.clone()),
        Value::Time(_) => {
            gauge.set(f64::NAN);
            registry.register_with_unit(name, help, Unit::Seconds, gauge.clone());
        }
        Value::Percent(_) => {
            let ratio = Unit::Other("ratio".to_owned());
            registry.register_with_unit(name, help, ratio, gauge.clone());
        }
    }
    Shown::Latest(value, gauge)
}

#[cfg(test)]
mod tests {
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
            target_cpu_percent: None,
        };
        metrics.update(&second(None));
        metrics.update(&second(Some(2.0)));
        let mut text = String::new();
        encode(&mut text, &registry).unwrap();
        for line in [
            "headcount_deliveries_total 80",
            "headcount_users 50.0",
            "headcount_latency_p95_seconds 0.002",
            "headcount_latency_p99_seconds NaN",
            "headcount_busiest_worker_ratio 0.25",
        ] {
            assert!(text.lines().any(|found| found == line), "{line} in\n{text}");
        }
    }
}
