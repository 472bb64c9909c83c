//! OpenTelemetry: OTLP over HTTP in its JSON encoding.
//! <https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding>

use std::time::SystemTime;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use serde_json::{Value as Json, json};
use url::Url;

use super::headers;
use super::instance::instance;
use super::metrics::{Figure, METRICS, Metric, Totals, Value};
use super::push::{Protocol, TimedSecond};

/// The variable that OpenTelemetry defines for the headers of requests, as `key=value,key=value`.
const HEADERS: &str = "OTEL_EXPORTER_OTLP_HEADERS";
/// Totals are since `startTimeUnixNano`, not since the point before.
const CUMULATIVE: u8 = 2;
/// The flag of a point without a value.
const NO_VALUE: u8 = 1;

/// Encodes seconds for a collector.
#[derive(Debug)]
pub(super) struct Otlp {
    start: SystemTime,
    headers: HeaderMap,
    instance: String,
    totals: Totals,
}

impl Otlp {
    pub(super) fn new(start: SystemTime) -> anyhow::Result<Self> {
        let mut headers = headers::from_env(HEADERS)?;
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        Ok(Self {
            start,
            headers,
            instance: instance(),
            totals: Totals::default(),
        })
    }

    /// The URL for metrics: the collector's own, with the standard path if it has none.
    pub(super) fn url(base: &Url) -> Url {
        let mut url = base.clone();
        if url.path() == "/" {
            url.set_path("/v1/metrics");
        }
        url
    }

    fn metric(&mut self, index: usize, seconds: &[TimedSecond]) -> Json {
        let Metric { name, help, value } = METRICS[index];
        let unit = match value {
            Value::Time(_) => "s".to_owned(),
            Value::Percent(_) => "1".to_owned(),
            Value::Total(_) | Value::Number(_) => format!("{{{name}}}"), // says what is counted
        };
        let points: Vec<Json> = seconds
            .iter()
            .filter_map(|second| self.point(index, second))
            .collect();
        let mut metric = json!({
            "name": format!("headcount.{name}"), "description": help, "unit": unit,
        });
        if let Value::Total(_) = value {
            metric["sum"] = json!({
                "aggregationTemporality": CUMULATIVE, "isMonotonic": true, "dataPoints": points,
            });
        } else {
            metric["gauge"] = json!({ "dataPoints": points });
        }
        metric
    }

    fn point(&mut self, index: usize, timed: &TimedSecond) -> Option<Json> {
        let (start, end) = (nanos(self.start), nanos(timed.end));
        Some(match self.totals.after(index, &timed.second)? {
            Figure::Total(total) => {
                json!({ "startTimeUnixNano": start, "timeUnixNano": end, "asInt": total.to_string() })
            }
            Figure::Latest(value) if value.is_nan() => {
                json!({ "timeUnixNano": end, "flags": NO_VALUE })
            }
            Figure::Latest(value) => json!({ "timeUnixNano": end, "asDouble": value }),
        })
    }
}

impl Protocol for Otlp {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn body(&mut self, seconds: &[TimedSecond]) -> anyhow::Result<Vec<u8>> {
        let metrics: Vec<Json> = (0..METRICS.len())
            .map(|index| self.metric(index, seconds))
            .collect();
        let version = env!("CARGO_PKG_VERSION");
        let attributes = [
            ("service.name", "headcount"),
            ("service.version", version),
            ("service.instance.id", &self.instance),
        ];
        let attributes =
            attributes.map(|(key, value)| json!({ "key": key, "value": { "stringValue": value } }));
        let body = json!({
            "resourceMetrics": [{
                "resource": { "attributes": attributes },
                "scopeMetrics": [{ "scope": { "name": "headcount", "version": version }, "metrics": metrics }],
            }],
        });
        Ok(body.to_string().into_bytes())
    }

    fn last_body(&mut self) -> anyhow::Result<Option<Vec<u8>>> {
        Ok(None)
    }
}

/// A time as the protocol wants it: 64-bit numbers are text in JSON.
fn nanos(time: SystemTime) -> String {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    since.unwrap_or_default().as_nanos().to_string()
}
