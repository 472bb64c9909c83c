//! Prometheus remote write 1.0: protocol buffers, compressed with Snappy.
//! <https://prometheus.io/docs/specs/prw/remote_write_spec/>

use std::time::SystemTime;

use prost::Message;
use reqwest::header::{
    CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};

use super::headers;
use super::instance::instance;
use super::metrics::{Figure, METRICS, Metric, Totals, Value};
use super::push::{Protocol, TimedSecond};

/// The variable with additional headers of requests, as `key=value,key=value`.
const HEADERS: &str = "HEADCOUNT_REMOTE_WRITE_HEADERS";
const VERSION: HeaderName = HeaderName::from_static("x-prometheus-remote-write-version");
/// The value with which Prometheus marks the end of a series.
const STALE: u64 = 0x7ff0_0000_0000_0002;

#[derive(Clone, PartialEq, Message)]
struct WriteRequest {
    #[prost(message, repeated, tag = "1")]
    timeseries: Vec<TimeSeries>,
}

#[derive(Clone, PartialEq, Message)]
struct TimeSeries {
    /// In the order of their names.
    #[prost(message, repeated, tag = "1")]
    labels: Vec<Label>,
    #[prost(message, repeated, tag = "2")]
    samples: Vec<Sample>,
}

#[derive(Clone, PartialEq, Message)]
struct Label {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(string, tag = "2")]
    value: String,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(double, tag = "1")]
    value: f64,
    /// In milliseconds since 1970.
    #[prost(int64, tag = "2")]
    timestamp: i64,
}

/// Encodes seconds for a Prometheus, or for what takes its place.
#[derive(Debug)]
pub(super) struct RemoteWrite {
    headers: HeaderMap,
    instance: String,
    totals: Totals,
    /// The end of the last second.
    last: Option<SystemTime>,
}

impl RemoteWrite {
    pub(super) fn new() -> anyhow::Result<Self> {
        let mut headers = headers::from_env(HEADERS)?;
        let fixed = [
            (CONTENT_ENCODING, "snappy"),
            (CONTENT_TYPE, "application/x-protobuf"),
            (VERSION, "0.1.0"),
            (USER_AGENT, concat!("headcount/", env!("CARGO_PKG_VERSION"))),
        ];
        headers.extend(fixed.map(|(name, value)| (name, HeaderValue::from_static(value))));
        Ok(Self {
            headers,
            instance: instance(),
            totals: Totals::default(),
            last: None,
        })
    }

    fn series(&mut self, index: usize, seconds: &[TimedSecond]) -> TimeSeries {
        let samples = seconds.iter().filter_map(|timed| {
            let value = match self.totals.after(index, &timed.second)? {
                Figure::Total(total) => total as f64,
                Figure::Latest(value) => value,
            };
            let timestamp = millis(timed.end);
            Some(Sample { value, timestamp })
        });
        let samples = samples.collect();
        self.named(index, samples)
    }

    fn named(&self, index: usize, samples: Vec<Sample>) -> TimeSeries {
        let name = series_name(&METRICS[index]);
        let labels = [
            ("__name__", name.as_str()),
            ("instance", &self.instance),
            ("job", "headcount"),
        ];
        let labels = labels.map(|(name, value)| Label {
            name: name.to_owned(),
            value: value.to_owned(),
        });
        TimeSeries {
            labels: labels.into(),
            samples,
        }
    }
}

impl Protocol for RemoteWrite {
    fn headers(&self) -> HeaderMap {
        self.headers.clone()
    }

    fn body(&mut self, seconds: &[TimedSecond]) -> anyhow::Result<Vec<u8>> {
        let all = (0..METRICS.len()).map(|index| self.series(index, seconds));
        let timeseries = all.filter(|series| !series.samples.is_empty()).collect();
        self.last = seconds.last().map(|second| second.end).or(self.last);
        packed(timeseries)
    }

    /// Ends each series. Otherwise, Prometheus shows its last value for five minutes.
    fn last_body(&mut self) -> anyhow::Result<Option<Vec<u8>>> {
        let Some(last) = self.last else {
            return Ok(None);
        };
        let end = Sample {
            value: f64::from_bits(STALE),
            timestamp: millis(last) + 1,
        };
        let all = (0..METRICS.len()).map(|index| self.named(index, vec![end.clone()]));
        packed(all.collect()).map(Some)
    }
}

fn packed(timeseries: Vec<TimeSeries>) -> anyhow::Result<Vec<u8>> {
    let request = WriteRequest { timeseries }.encode_to_vec();
    Ok(snap::raw::Encoder::new().compress_vec(&request)?)
}

/// The name under which the endpoint shows the metric too.
fn series_name(metric: &Metric) -> String {
    let suffix = match metric.value {
        Value::Total(_) => "_total",
        Value::Number(_) => "",
        Value::Time(_) => "_seconds",
        Value::Percent(_) => "_ratio",
    };
    format!("headcount_{}{suffix}", metric.name)
}

fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    let millis = since.unwrap_or_default().as_millis();
    millis.try_into().unwrap_or(i64::MAX)
}
