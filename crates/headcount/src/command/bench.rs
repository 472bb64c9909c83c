use anyhow::{Context as _, bail};
use engine::{Clock, Plain, PrepareError, Send, Shared, prepare_plain};
use model::without_what_may_be_credentials;
use plan::{Overrides, Problem, Problems, RateProfile};
use probe::DescriptorLimit;
use serde_json::{Value, json};
use url::Url;

use crate::args::BenchArgs;
use crate::command::fleet::{prepare as prepare_fleet, run_on};
use crate::command::generator::generator_settings;
use crate::command::run::{Asked, finish, watch};
use crate::exit::Exit;
use crate::folder::RunFolder;
use crate::hurry::stop_on_ctrl_c;
use crate::outputs::Outputs;

/// Time at full load before the measurement.
const WARM_UP: &str = "1s";
/// Default message over a WebSocket.
const MESSAGE: &str = "ping";
/// Default time limit if the number of requests is given.
const COUNT_LIMIT: &str = "1h";

/// Headers whose value may not be a list (RFC 9110 §5.3).
const SINGLE: [&str; 6] = [
    "host",
    "authorization",
    "content-type",
    "user-agent",
    "referer",
    "origin",
];

/// `headcount bench`
pub(crate) fn bench(args: &BenchArgs) -> anyhow::Result<Exit> {
    let clock = Clock::start();
    let url = url_of(&args.url)?;
    if args.search.range.any() {
        bail!(
            "--budget, --precision, --first, --most, --person-every, --growth and --nodes belong to a search: add --find"
        );
    }
    let settings = generator_settings(&args.generator, Overrides::default())?;
    if args.fleet.fleet.is_none() {
        check_descriptors(args)?;
    }
    let config = prepare_plain(plain(args, &url)?, options(args, &url)?, settings)
        .map_err(in_words_of_bench)?;
    let folder = args
        .out
        .as_deref()
        .map(|folder| RunFolder::claim(Some(folder), &clock.started_at()))
        .transpose()?;
    let mut outputs =
        Outputs::open(&args.output.outputs, args.output.ui, clock).inspect_err(|_| {
            let _ = folder
                .as_ref()
                .map(|folder| std::fs::remove_dir(folder.path())); // succeeds only if it is empty
        })?;
    let stop = stop_on_ctrl_c()?;
    let (places, quiet) = ((&args.fleet, &args.generator), args.screen.quiet);
    let (fleet, agents) = prepare_fleet(places, quiet, &config, clock, None).inspect_err(|_| {
        let _ = folder
            .as_ref()
            .map(|folder| std::fs::remove_dir(folder.path())); // succeeds only if it is empty
    })?;
    let outcome = watch(&stop, quiet, &mut outputs, |tell| {
        run_on(agents, config, clock, &stop, tell)
    });
    drop(fleet);
    let folder = folder.as_ref().map(RunFolder::path);
    let exit = finish(&outcome, folder, args.screen.json, Asked::Bench);
    exit.map(|exit| outputs.finish(&outcome.record, folder, exit))
}

/// File descriptors needed in addition to those for connections: for event queues, files and observing the target.
const OTHER_DESCRIPTORS: u64 = 64;

/// The largest number of connections that this process may open.
pub(crate) fn most_connections() -> u32 {
    let limit = DescriptorLimit::current().soft.unwrap_or(u64::MAX);
    u32::try_from(limit.saturating_sub(OTHER_DESCRIPTORS)).unwrap_or(u32::MAX)
}

/// Checks that there are enough file descriptors for all connections. Without this check, the surplus connections would
/// fail one after another for minutes.
fn check_descriptors(args: &BenchArgs) -> anyhow::Result<()> {
    let most = most_connections();
    if args.connections > most {
        let limit = u64::from(most) + OTHER_DESCRIPTORS;
        bail!(
            "--connections {}: this process may open {limit} files, which allows {most} connections; use fewer \
             connections, or raise the limit (ulimit -n)",
            args.connections
        );
    }
    Ok(())
}

pub(crate) fn url_of(text: &str) -> anyhow::Result<Url> {
    let shown = without_what_may_be_credentials(text);
    let url = Url::parse(text)
        .with_context(|| format!("`{shown}` is not a URL such as http://127.0.0.1:8080/"))?;
    if !matches!(url.scheme(), "http" | "https" | "ws" | "wss") || !url.has_host() {
        bail!("`{shown}`: expected a URL with http://, https://, ws:// or wss://");
    }
    Ok(url)
}

/// Replaces the names of scenario options in `error` with the names of the command-line options.
pub(crate) fn in_words_of_bench(error: PrepareError) -> PrepareError {
    let PrepareError::Options(problems) = error else {
        return error;
    };
    let renamed = |problem: &Problem| Problem {
        path: option_of(&problem.path),
        ..problem.clone()
    };
    // `--timeout` sets both limits, so an error of one repeats that of the other.
    let once = problems
        .iter()
        .filter(|problem| problem.path != "timeouts.connect");
    PrepareError::Options(once.map(renamed).collect::<Problems>())
}

fn option_of(path: &str) -> String {
    match path {
        "target" => "URL",
        "load.users" => "--connections",
        "load.rate" => "--rate",
        "load.duration" | "load.limit" => "--duration",
        "timeouts.total" => "--timeout",
        "maxMessage" => "--max-message",
        _ if path.starts_with("source") => "--source",
        _ if path.starts_with("headers") => {
            let name = path.trim_start_matches("headers");
            let name = name.trim_matches(['.', '[', ']', '"']);
            return format!("--header {name}").trim_end().to_owned();
        }
        _ => path,
    }
    .to_owned()
}

pub(crate) fn is_socket(url: &Url) -> bool {
    matches!(url.scheme(), "ws" | "wss")
}

pub(crate) fn plain(args: &BenchArgs, url: &Url) -> anyhow::Result<Plain> {
    let rate = args
        .rate
        .as_deref()
        .filter(|_| is_socket(url))
        .map(socket_rate);
    let per_socket = rate
        .transpose()?
        .map(|per_s| per_s / f64::from(args.connections));
    let send = if is_socket(url) {
        if args.body.is_some() || args.method.is_some() {
            bail!("a WebSocket has no method and no body: use --message instead");
        }
        if args.http2 {
            bail!("WebSockets over HTTP/2 are not supported: remove --http2");
        }
        if !args.expect.is_empty() {
            bail!("--expect needs HTTP responses: a WebSocket has no status");
        }
        Send::Message(args.message.as_deref().unwrap_or(MESSAGE).to_owned())
    } else {
        if args.message.is_some() {
            bail!("--message needs a WebSocket (ws://, wss://): over HTTP use --body");
        }
        let body = args.body.as_deref().map(body).transpose()?;
        let method = if body.is_some() { "POST" } else { "GET" };
        Send::Request {
            method: args.method.clone().unwrap_or_else(|| method.to_owned()),
            headers: Vec::new(),
            body: body.unwrap_or_default(),
            expect: args.expect.clone(),
        }
    };
    Ok(Plain {
        url: url.clone(),
        send,
        count: args.count,
        per_socket,
        shared: args.http2.then_some(Shared {
            connections: args.connections,
            streams: args.streams,
        }),
    })
}

/// Parses a constant rate per second. Refuses a rate profile, because each WebSocket sends its share of the rate on its
/// own clock.
fn socket_rate(text: &str) -> anyhow::Result<f64> {
    match RateProfile::parse(text) {
        Ok(RateProfile::Steady(rate)) if rate > 0.0 => Ok(rate),
        Ok(_) => bail!("--rate {text}: a WebSocket needs one steady rate, e.g. 1000/s"),
        Err(why) => bail!("--rate {text}: {why}"),
    }
}

fn body(text: &str) -> anyhow::Result<Vec<u8>> {
    match text.strip_prefix('@') {
        Some(file) => std::fs::read(file).with_context(|| format!("cannot read the body {file}")),
        None => Ok(text.as_bytes().to_vec()),
    }
}

/// Returns the options that an equivalent scenario would declare.
pub(crate) fn options(args: &BenchArgs, url: &Url) -> anyhow::Result<Value> {
    // There is one user for each request that can be in flight.
    let users = args.connections.saturating_mul(args.streams);
    let mut load = json!({ "users": users });
    if args.count.is_some() {
        load["once"] = true.into();
        load["limit"] = args.duration.as_deref().unwrap_or(COUNT_LIMIT).into();
    } else {
        load["warmup"] = WARM_UP.into();
        let is_profile = |rate: &String| matches!(RateProfile::parse(rate), Ok(profile) if !matches!(profile, RateProfile::Steady(_)));
        let has_end = args.rate.as_ref().is_some_and(is_profile);
        match &args.duration {
            Some(duration) => load["duration"] = duration.as_str().into(),
            None if has_end => {}
            None => load["duration"] = "10s".into(),
        }
        if let Some(rate) = args.rate.as_ref().filter(|_| !is_socket(url)) {
            load["rate"] = rate.as_str().into();
        }
    }
    let mut options = json!({
        "target": target(url)?,
        "load": load,
        "headers": headers(&args.headers)?,
        "insecure": args.insecure,
        "redirects": 0,
        "repeat": !args.no_repeat,
    });
    if !args.generator.source.is_empty() {
        options["source"] = args.generator.source.clone().into();
    }
    if let Some(most) = &args.max_message {
        options["maxMessage"] = most.as_str().into();
    }
    if let Some(timeout) = &args.timeout {
        options["timeouts"] = json!({ "total": timeout, "connect": timeout });
    }
    Ok(options)
}

fn target(url: &Url) -> anyhow::Result<String> {
    let scheme = match url.scheme() {
        "https" | "wss" => "https",
        _ => "http",
    };
    let mut base = url.clone();
    base.set_path("/");
    base.set_query(None);
    base.set_fragment(None);
    let _ = base.set_username("");
    let _ = base.set_password(None);
    let rest = base.as_str().split_once("://").map(|(_, rest)| rest);
    let rest = rest.context("the URL has no host")?;
    Ok(format!("{scheme}://{rest}"))
}

/// Joins several values of one header into a list, which has the same meaning (RFC 9110 §5.3).
fn headers(given: &[String]) -> anyhow::Result<Value> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for header in given {
        let Some((name, value)) = header.split_once(':') else {
            bail!("--header {header:?}: write \"Name: value\"");
        };
        let (name, value) = (name.trim(), value.trim());
        let same = |(known, _): &&mut (String, String)| known.eq_ignore_ascii_case(name);
        match headers.iter_mut().find(same) {
            None => headers.push((name.to_owned(), value.to_owned())),
            Some(_) if is_single(name) => {
                bail!("--header {name} can be given only once")
            }
            Some((_, list)) => {
                let separator = if name.eq_ignore_ascii_case("cookie") {
                    "; "
                } else {
                    ", "
                };
                list.push_str(separator);
                list.push_str(value);
            }
        }
    }
    let values = headers
        .into_iter()
        .map(|(name, value)| (name, value.into()));
    Ok(Value::Object(values.collect()))
}

fn is_single(name: &str) -> bool {
    SINGLE
        .iter()
        .any(|single| single.eq_ignore_ascii_case(name))
}
