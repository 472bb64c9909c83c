use std::path::PathBuf;

use super::run::{GeneratorArgs, ScreenArgs};

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount bench http://127.0.0.1:8080/
  headcount bench http://127.0.0.1:8080/ -c 200 -d 30s
  headcount bench http://127.0.0.1:8080/items -X POST -H 'content-type: application/json' -b '{\"name\":\"tea\"}'
  headcount bench http://127.0.0.1:8080/ --rate 5000/s -d 30s
  headcount bench https://127.0.0.1:8443/ --http2 -c 10 --streams 20 --insecure
  headcount bench ws://127.0.0.1:8080/echo -c 50 -m ping
  headcount bench http://127.0.0.1:8080/ -c 200 --source 127.0.0.0/24     as if from 200 machines

Over a WebSocket each message waits for its reply: the server must answer every message with one.

Exit codes:
  0 measured, failures or not · 1 bug · 2 usage · 4 target not reachable
  99 nothing succeeded · 98 not measured soundly · 130 interrupted")]
pub(crate) struct BenchArgs {
    /// http://, https://, ws:// or wss://
    pub(crate) url: String,

    /// Connections, each with one request or message on its way; with --rate the most at the same time
    #[arg(
        long, short, value_name = "N", default_value_t = 50, help_heading = "Load",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub(crate) connections: u32,
    /// Speak HTTP/2: agreed upon over TLS (ALPN), without asking over http://
    #[arg(long, help_heading = "Load")]
    pub(crate) http2: bool,
    /// HTTP/2 requests on their way at a time on each connection
    #[arg(
        long, value_name = "N", default_value_t = 1, requires = "http2", help_heading = "Load",
        value_parser = clap::value_parser!(u32).range(1..=10_000)
    )]
    pub(crate) streams: u32,
    /// How long is measured, after a second of warm-up [default: 10s]
    #[arg(
        long,
        short,
        value_name = "TIME",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) duration: Option<String>,
    /// So many requests or messages in all instead, without warm-up; --duration is then the most it may take (1h)
    #[arg(
        long, short = 'n', value_name = "N", help_heading = "Load", conflicts_with = "rate",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub(crate) count: Option<u64>,
    /// Arrivals that wait for nobody's answer: "1000/s"; HTTP takes a course of rates too
    #[arg(
        long,
        value_name = "RATE",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) rate: Option<String>,
    /// Time for one answer [default: 30s]
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) timeout: Option<String>,

    /// Method [default: GET, or POST with a body]
    #[arg(long, short = 'X', value_name = "METHOD", help_heading = "Request")]
    pub(crate) method: Option<String>,
    /// A header, "Name: value"; may be repeated, and several values of one name go out as a list
    #[arg(
        long = "header",
        short = 'H',
        value_name = "HEADER",
        help_heading = "Request"
    )]
    pub(crate) headers: Vec<String>,
    /// Body; @FILE takes it from a file
    #[arg(long, short, value_name = "TEXT", help_heading = "Request")]
    pub(crate) body: Option<String>,
    /// A status of 400 or more that is no failure; may be repeated
    #[arg(
        long, value_name = "STATUS", help_heading = "Request",
        value_parser = clap::value_parser!(u16).range(400..=999)
    )]
    pub(crate) expect: Vec<u16>,
    /// Send every request exactly once: an idempotent one is otherwise repeated when a kept-alive connection closes
    /// before any response
    #[arg(long, help_heading = "Request")]
    pub(crate) no_repeat: bool,
    /// Message of a WebSocket [default: ping]
    #[arg(long, short, value_name = "TEXT", help_heading = "Request")]
    pub(crate) message: Option<String>,
    /// Largest response body or message [default: 16MB]
    #[arg(long, value_name = "SIZE", help_heading = "Request")]
    pub(crate) max_message: Option<String>,
    /// Accept any TLS certificate
    #[arg(long, short = 'k', help_heading = "Request")]
    pub(crate) insecure: bool,

    #[command(flatten)]
    pub(crate) generator: GeneratorArgs,

    /// Save run.json and report.md in this folder
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
}
