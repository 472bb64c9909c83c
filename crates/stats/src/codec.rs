//! Histograms in JSON: exact figures and bins. The bins are base64 of HDR's V2 deflate format, which any HDR tool
//! reads.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hdrhistogram::Histogram as Hdr;
use hdrhistogram::serialization::{
    Deserializer as HdrReader, Serializer as _, V2DeflateSerializer,
};
use model::Nanos;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};

use crate::bins::highest_equivalent;
use crate::histogram::{DIGITS, Filled, Histogram};

mod unpack;

/// The reason why a saved histogram could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    /// The text is not base64.
    #[error("histogram is not base64: {0}")]
    Base64(#[from] base64::DecodeError),
    /// The bytes are not an HDR histogram.
    #[error("histogram is not in HDR V2 format: {0}")]
    Hdr(String),
    /// The bins and the exact figures contradict each other.
    #[error("histogram is inconsistent: {0}")]
    Contradiction(String),
}

/// The JSON shape. An empty histogram is `{"count":0}`.
#[derive(Serialize, Deserialize)]
struct Saved {
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    min_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    hdr: Option<String>,
}

impl Histogram {
    /// Encodes the bins as base64 of HDR V2 deflate. Returns `None` if the histogram is empty.
    pub fn encode(&self) -> Option<String> {
        let highest = self.max()?.0.max(2);
        let mut hdr: Hdr<u64> = Hdr::new_with_bounds(1, highest, DIGITS).ok()?;
        for (value, count) in self.bins() {
            hdr.record_n(value.0.min(highest), count).ok()?;
        }
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&hdr, &mut bytes)
            .ok()?;
        Some(STANDARD.encode(bytes))
    }

    /// Reads the output of [`Histogram::encode`], or of another HDR tool that counts nanoseconds. The smallest value,
    /// the largest value and the sum are accurate only to three digits.
    pub fn decode(text: &str) -> Result<Self, DecodeError> {
        let bytes = STANDARD.decode(text)?;
        let plain = unpack::unpack(&bytes)?;
        let hdr: Hdr<u64> = HdrReader::new()
            .deserialize(&mut plain.as_slice())
            .map_err(|error| DecodeError::Hdr(error.to_string()))?;
        let mut histogram = Self::new();
        for bin in hdr.iter_recorded() {
            histogram.record_n(Nanos(bin.value_iterated_to()), bin.count_at_value());
        }
        Ok(histogram)
    }
}

impl Saved {
    fn open(self) -> Result<Histogram, DecodeError> {
        if self.count == 0 {
            return Ok(Histogram::new());
        }
        let missing = || DecodeError::Contradiction(format!("{} values, but no bins", self.count));
        let mut histogram = Histogram::decode(self.hdr.as_deref().ok_or_else(missing)?)?;
        if histogram.count() != self.count {
            let text = format!(
                "{} values stated, but {} in the bins",
                self.count,
                histogram.count()
            );
            return Err(DecodeError::Contradiction(text));
        }
        if let Some(filled) = &mut histogram.filled {
            filled.restore(&self)?;
        }
        Ok(histogram)
    }
}

impl Filled {
    /// Restores the exact figures. Fails if they contradict the bins.
    fn restore(&mut self, saved: &Saved) -> Result<(), DecodeError> {
        let min = saved.min_ns.unwrap_or(self.min);
        let max = saved.max_ns.unwrap_or(self.max);
        let equivalent = |left, right| highest_equivalent(left) == highest_equivalent(right);
        if !equivalent(min, self.min) || !equivalent(max, self.max) || min > max {
            let text = format!("{min} ns and {max} ns are not the ends of the bins");
            return Err(DecodeError::Contradiction(text));
        }
        self.min = min;
        self.max = max;
        self.sum = saved.sum_ns.unwrap_or(self.sum);
        Ok(())
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let hdr = self.encode();
        if hdr.is_none() && !self.is_empty() {
            return Err(ser::Error::custom("histogram cannot be encoded"));
        }
        let saved = Saved {
            count: self.count(),
            min_ns: self.min().map(|Nanos(nanos)| nanos),
            max_ns: self.max().map(|Nanos(nanos)| nanos),
            sum_ns: hdr.as_ref().map(|_| self.sum().0),
            hdr,
        };
        saved.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Saved::deserialize(deserializer)?
            .open()
            .map_err(de::Error::custom)
    }
}
