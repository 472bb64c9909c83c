use std::fmt;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::ValueEnum as _;
use url::Url;

use crate::args::format::Format;

/// One output: what, and where to. Written as `KIND=PLACE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Output {
    /// One line of JSON for each second, written during the run.
    JsonLines(PathBuf),
    /// An endpoint that Prometheus scrapes during the run.
    Prometheus(SocketAddr),
    /// A server that takes metrics in OpenTelemetry's protocol during the run.
    Otlp(Url),
    /// A Prometheus that takes metrics by remote write during the run.
    RemoteWrite(Url),
    /// A report of the finished run.
    Report(Format, PathBuf),
}

const JSON_LINES: &str = "jsonl";
const PROMETHEUS: &str = "prometheus";
const OTLP: &str = "otlp";
const REMOTE_WRITE: &str = "remote-write";

impl FromStr for Output {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, place) = text
            .split_once('=')
            .filter(|(_, place)| !place.is_empty())
            .ok_or("expected KIND=PLACE, for example jsonl=seconds.jsonl")?;
        match kind {
            JSON_LINES => Ok(Self::JsonLines(place.into())),
            PROMETHEUS => address_of(place).map(Self::Prometheus),
            OTLP => url_of(place).map(Self::Otlp),
            REMOTE_WRITE => url_of(place).map(Self::RemoteWrite),
            _ => match Format::from_str(kind, false) {
                Ok(Format::Terminal) | Err(_) => Err(format!(
                    "unknown kind {kind:?}; known are {}",
                    kinds().join(", ")
                )),
                Ok(format) => Ok(Self::Report(format, place.into())),
            },
        }
    }
}

/// Reads `IP:PORT`, or `PORT` on the loopback interface.
pub(super) fn address_of(place: &str) -> Result<SocketAddr, String> {
    let loopback = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    let port = place.parse().map(loopback);
    port.or_else(|_| place.parse())
        .map_err(|_| format!("{place:?} is neither a port nor IP:PORT, such as 127.0.0.1:9464"))
}

fn url_of(place: &str) -> Result<Url, String> {
    let is_http = |url: &Url| ["http", "https"].contains(&url.scheme());
    let url = Url::parse(place).ok().filter(is_http);
    // The place may have credentials, so it is not shown.
    url.ok_or_else(|| "expected a URL that begins with http:// or https://".to_owned())
}

impl Output {
    /// The place, the same for each way to write the path of a file.
    pub(super) fn real_place(&self) -> String {
        let (Self::JsonLines(path) | Self::Report(_, path)) = self else {
            return self.place();
        };
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")));
        match (folder, path.file_name()) {
            (Ok(folder), Some(name)) => folder.join(name).display().to_string(),
            _ => self.place(),
        }
    }

    /// The file or the address, as text.
    pub(super) fn place(&self) -> String {
        match self {
            Self::JsonLines(path) | Self::Report(_, path) => path.display().to_string(),
            Self::Prometheus(address) => address.to_string(),
            Self::Otlp(url) | Self::RemoteWrite(url) => url.to_string(),
        }
    }
}

fn kinds() -> Vec<String> {
    let reports = Format::value_variants().iter();
    let reports = reports.filter(|format| **format != Format::Terminal);
    let names =
        reports.filter_map(|format| Some(format.to_possible_value()?.get_name().to_owned()));
    [JSON_LINES, PROMETHEUS, REMOTE_WRITE, OTLP]
        .map(str::to_owned)
        .into_iter()
        .chain(names)
        .collect()
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::JsonLines(path) => write!(f, "{JSON_LINES}={}", path.display()),
            Self::Prometheus(address) => write!(f, "{PROMETHEUS}={address}"),
            Self::Otlp(url) => write!(f, "{OTLP}={url}"),
            Self::RemoteWrite(url) => write!(f, "{REMOTE_WRITE}={url}"),
            Self::Report(format, path) => {
                let name = format.to_possible_value();
                let name = name.as_ref().map_or("", |name| name.get_name());
                write!(f, "{name}={}", path.display())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_read_and_written_as_the_user_writes_them() {
        for text in [
            "jsonl=a.jsonl",
            "prometheus=0.0.0.0:9464",
            "csv-series=out/a=b.csv",
            "html=r.html",
            "otlp=http://127.0.0.1:4318/",
            "remote-write=https://example.org/api/v1/write?tenant=a",
        ] {
            assert_eq!(text.parse::<Output>().unwrap().to_string(), text);
        }
        let loopback: Output = "prometheus=9464".parse().unwrap();
        assert_eq!(loopback.to_string(), "prometheus=127.0.0.1:9464");
    }

    #[test]
    fn what_is_no_output_is_refused_with_what_there_is() {
        let refused = |text: &str| text.parse::<Output>().unwrap_err();
        assert!(refused("jsonl").contains("KIND=PLACE"));
        assert!(refused("jsonl=").contains("KIND=PLACE"));
        let unknown = refused("influx=x");
        assert!(
            unknown.contains("known are jsonl, prometheus, remote-write, otlp, markdown, html"),
            "{unknown}"
        );
        assert!(refused("terminal=x").contains("unknown kind"));
        assert!(refused("otlp=localhost:4318").contains("begins with http://"));
        assert!(refused("prometheus=localhost:9464").contains("127.0.0.1:9464"));
    }
}
