use std::path::PathBuf;

use super::find::SearchArgs;
use super::fleet::FleetArgs;
use super::run::{GeneratorArgs, OutputArgs, ScreenArgs};

#[derive(Debug, clap::Args)]
#[command(after_long_help = "\
Examples:
  headcount bench http://127.0.0.1:8080/
  headcount bench http://127.0.0.1:8080/ -c 200 -d 30s
  headcount bench http://127.0.0.1:8080/items -b '{\"name\":\"tea\"}' \\
    -H 'content-type: application/json'
  headcount bench http://127.0.0.1:8080/ --rate 5000/s -d 30s
  headcount bench https://127.0.0.1:8443/ --http2 -c 10 --streams 20 --insecure
  headcount bench http://127.0.0.1:8080/ --find        highest rate that holds
  headcount bench ws://127.0.0.1:8080/echo -c 50 -m ping
  headcount bench http://127.0.0.1:8080/ -c 200 --source 127.0.0.0/24

Over a WebSocket, the server must send exactly one reply to each message.

Exit codes:
  0 measured (even if requests failed) · 1 bug · 2 usage · 4 target not reachable
  99 nothing succeeded · 98 inconclusive · 130 interrupted
  With --find, the codes are those of `headcount find`")]
pub(crate) struct BenchArgs {
    /// URL to load: http://, https://, ws:// or wss://
    pub(crate) url: String,

    #[command(flatten)]
    pub(crate) search: BenchSearchArgs,

    /// Number of connections, each with one request or message in flight; with --rate, the maximum number of
    /// connections
    #[arg(
        long, short, value_name = "N", default_value_t = 50, help_heading = "Load",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000)
    )]
    pub(crate) connections: u32,
    /// Use HTTP/2. Over TLS it is negotiated (ALPN), over http:// it is assumed (prior knowledge)
    #[arg(long, help_heading = "Load")]
    pub(crate) http2: bool,
    /// Concurrent HTTP/2 requests per connection
    #[arg(
        long, value_name = "N", default_value_t = 1, requires = "http2", help_heading = "Load",
        value_parser = clap::value_parser!(u32).range(1..=10_000)
    )]
    pub(crate) streams: u32,
    /// Measured time, after one second of warm-up [default: 10s]
    #[arg(
        long,
        short,
        value_name = "TIME",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) duration: Option<String>,
    /// Send exactly N requests or messages, without warm-up (time limit: --duration, default 1h)
    #[arg(
        long, short = 'n', value_name = "N", help_heading = "Load", conflicts_with = "rate",
        value_parser = clap::value_parser!(u64).range(1..)
    )]
    pub(crate) count: Option<u64>,
    /// Open load: start requests at this rate regardless of responses, for example "1000/s"; over HTTP also a rate
    /// profile
    #[arg(
        long,
        value_name = "RATE",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) rate: Option<String>,
    /// Time limit for one response, and for opening a connection or WebSocket [default: 30s, and 5s to open]
    #[arg(
        long,
        value_name = "TIME",
        help_heading = "Load",
        allow_hyphen_values = true
    )]
    pub(crate) timeout: Option<String>,

    /// HTTP method [default: GET, or POST with a body]
    #[arg(long, short = 'X', value_name = "METHOD", help_heading = "Request")]
    pub(crate) method: Option<String>,
    /// Header as "Name: value"; repeatable. Several values of one name are sent as one list
    #[arg(
        long = "header",
        short = 'H',
        value_name = "HEADER",
        help_heading = "Request"
    )]
    pub(crate) headers: Vec<String>,
    /// Request body, or @FILE to read it from a file
    #[arg(long, short, value_name = "TEXT", help_heading = "Request")]
    pub(crate) body: Option<String>,
    /// Status of 400 or more that does not count as a failure; repeatable
    #[arg(
        long, value_name = "STATUS", help_heading = "Request",
        value_parser = clap::value_parser!(u16).range(400..=999)
    )]
    pub(crate) expect: Vec<u16>,
    /// Send every request exactly once. By default, an idempotent request is repeated when a kept-alive connection
    /// closes before any response
    #[arg(long, help_heading = "Request")]
    pub(crate) no_repeat: bool,
    /// WebSocket message [default: ping]
    #[arg(long, short, value_name = "TEXT", help_heading = "Request")]
    pub(crate) message: Option<String>,
    /// Maximum size of a response body or message [default: 16MB]
    #[arg(long, value_name = "SIZE", help_heading = "Request")]
    pub(crate) max_message: Option<String>,
    /// Accept any TLS certificate
    #[arg(long, short = 'k', help_heading = "Request")]
    pub(crate) insecure: bool,

    #[command(flatten)]
    pub(crate) generator: GeneratorArgs,
    #[command(flatten)]
    pub(crate) fleet: FleetArgs,

    /// Folder to save run.json, report.md and report.html in [default: nothing is saved]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
}

/// A search instead of one run.
#[derive(Debug, clap::Args)]
pub(crate) struct BenchSearchArgs {
    /// Search for the highest rate (over a WebSocket: the most connections) that the target holds, as `headcount find`
    /// does for a scenario. `-c` then sets the minimum number of connections. Not over HTTP/2
    #[arg(long, help_heading = "Search", conflicts_with_all = ["count", "rate", "duration", "outputs", "ui"])]
    pub(crate) find: bool,
    #[command(flatten)]
    pub(crate) range: SearchArgs,
}
