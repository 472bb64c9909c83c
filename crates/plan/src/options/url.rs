//! Checks URLs before anything is sent.

use super::values::text;
use model::without_what_may_be_credentials;
use serde_json::Value;

use crate::problem::{Flaw, quoted};

/// Schemes of HTTP requests.
const OF_REQUESTS: [&str; 2] = ["http", "https"];
/// Schemes of targets, some of which do not speak HTTP.
const OF_TARGETS: [&str; 6] = ["http", "https", "nats", "tls", "redis", "rediss"];

/// Reads the base URL of the target: scheme, host, port and an optional path.
pub(super) fn base(value: &Value) -> Result<String, Flaw> {
    let url = text(value)?;
    let rest = check_whole(url, &OF_TARGETS)?;
    if rest.contains(['?', '#']) {
        let message = format!(
            "{} has a query or a fragment, which a base URL cannot have",
            quoted(url)
        );
        return Err(Flaw::new(message));
    }
    Ok(url.to_owned())
}

/// Reads an absolute URL, or a path below the target.
pub(super) fn of_request(value: &Value) -> Result<String, Flaw> {
    let url = text(value)?;
    if url.starts_with('/') && !url.starts_with("//") {
        check_characters(url)?;
    } else {
        check_whole(url, &OF_REQUESTS)?;
    }
    Ok(url.to_owned())
}

/// Checks scheme and authority. Returns the part of the URL after the authority.
fn check_whole<'a>(url: &'a str, schemes: &[&str]) -> Result<&'a str, Flaw> {
    check_characters(url)?;
    let Some((scheme, rest)) = url.split_once("://") else {
        let hint = format!("write `http://{}`", url.trim_start_matches('/'));
        return Err(Flaw::with_hint(
            format!("{} has no scheme", shown(url)),
            hint,
        ));
    };
    check_scheme(scheme, rest, schemes)?;
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at(end);
    if authority.contains('@') {
        // Credentials are kept out of the record, so the message must not repeat them.
        return Err(Flaw::with_hint(
            "contains a user name or password, which would be saved in the record",
            "send credentials with `headers` or in the script",
        ));
    }
    if !is_host_and_port(authority) {
        return Err(Flaw::new(format!(
            "{} has no valid host and port",
            shown(url)
        )));
    }
    Ok(path)
}

/// Quotes the URL for a message, without parts that may be credentials. In an invalid URL, any part may be a
/// credential.
fn shown(url: &str) -> String {
    quoted(&without_what_may_be_credentials(url))
}

fn check_characters(url: &str) -> Result<(), Flaw> {
    match url
        .chars()
        .find(|c| c.is_whitespace() || c.is_control() || *c == '\\')
    {
        Some(c) => Err(Flaw::new(format!("a URL cannot contain {c:?}"))),
        None => Ok(()),
    }
}

fn check_scheme(scheme: &str, rest: &str, schemes: &[&str]) -> Result<(), Flaw> {
    match scheme.to_ascii_lowercase().as_str() {
        known if schemes.contains(&known) => Ok(()),
        // A WebSocket begins as an HTTP request.
        "ws" | "wss" => {
            let secure = if scheme.len() == 3 { "s" } else { "" };
            let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
            let hint = format!("write `http{secure}://{host}`: WebSockets use this base URL too");
            Err(Flaw::with_hint(
                format!("scheme `{scheme}` is not http or https"),
                hint,
            ))
        }
        _ => Err(Flaw::new(format!(
            "unknown scheme {}; expected one of: {}",
            quoted(scheme),
            schemes.join(", ")
        ))),
    }
}

/// Whether the authority has the form `host`, `host:port`, `[v6]` or `[v6]:port`.
fn is_host_and_port(authority: &str) -> bool {
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((host, port)) => {
                let port = if port.is_empty() {
                    Some("80")
                } else {
                    port.strip_prefix(':')
                };
                (host.parse::<std::net::Ipv6Addr>().is_ok(), port)
            }
            None => return false,
        },
        None => match authority.split_once(':') {
            Some((host, port)) => (is_name(host), Some(port)),
            None => (is_name(authority), Some("80")),
        },
    };
    let digits = |port: &str| port.bytes().all(|c| c.is_ascii_digit());
    host && port.is_some_and(|port| digits(port) && port.parse::<u16>().is_ok_and(|port| port > 0))
}

fn is_name(host: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
    !host.is_empty() && host.len() <= 253 && host.chars().all(allowed) && !host.starts_with('.')
}
