//! Options of Socket.IO sockets.

use model::Nanos;
use rquickjs::{Ctx, Result, Value};

use super::super::arg::{href, kind, text, type_error};
use super::super::options::each;
use super::super::payload::json;
use super::super::request::{Address, texts};
use crate::host::SocketIoCall;

const SOCKETIO: &str = "user.socketio(url, options)";
const KNOWN_SOCKETIO: [&str; 8] = [
    "namespace",
    "auth",
    "transports",
    "path",
    "query",
    "headers",
    "name",
    "timeout",
];

/// Converts the arguments for opening a Socket.IO socket. The URL is optional.
pub(super) fn socketio_call<'js>(
    ctx: &Ctx<'js>,
    url: &Value<'js>,
    options: &Value<'js>,
    planned: Option<Nanos>,
) -> Result<SocketIoCall> {
    let call = SOCKETIO;
    let (url, options) = match href(url) {
        Some(href) => (href, options),
        None if url.is_object() && options.is_undefined() => (String::new(), url),
        None if url.is_undefined() => (String::new(), options),
        None => (text(ctx, url, &format!("{call}: the URL"))?, options),
    };
    let made = SocketIoCall {
        planned,
        ..SocketIoCall::default()
    };
    socketio_options(ctx, (&url, options), (call, &KNOWN_SOCKETIO), made)
}

/// Converts the options of a Socket.IO socket. `known` are those that the call accepts. The caller has read the URL of the
/// server, which is empty for the target.
pub(super) fn socketio_options<'js>(
    ctx: &Ctx<'js>,
    (url, options): (&str, &Value<'js>),
    (call, known): (&str, &[&str]),
    made: SocketIoCall,
) -> Result<SocketIoCall> {
    let base = url.trim_end_matches('/');
    if base.contains(['?', '#'])
        || base
            .split_once("://")
            .is_some_and(|(_, host)| host.contains('/'))
    {
        let message = format!(
            "{call}: {url:?} has more than a host: give the rest in the options `namespace` and `path`"
        );
        return Err(type_error(ctx, &message));
    }
    let mut address = Address::default();
    let mut path = "/socket.io/".to_owned();
    let mut made = SocketIoCall {
        namespace: "/".to_owned(),
        upgrades: true,
        ..made
    };
    each(ctx, options, call, known, |key, value| {
        let what = format!("{call}: `{key}`");
        match key {
            "namespace" => made.namespace = rooted(text(ctx, &value, &what)?),
            "path" => {
                path = rooted(text(ctx, &value, &what)?)
                    .trim_end_matches('/')
                    .to_owned()
                    + "/";
            }
            "url" => {}
            "auth" if value.is_object() && !value.is_array() => {
                made.auth = Some(json(ctx, &value, &what)?);
            }
            "auth" => {
                return Err(type_error(
                    ctx,
                    &format!("{what} must be an object, not {}", kind(&value)),
                ));
            }
            "transports" => (made.polls, made.upgrades) = transports(ctx, &value, &what)?,
            _ => {
                address.take(ctx, call, key, &value)?;
            }
        }
        Ok(())
    })?;
    let place = if made.namespace == "/" {
        String::new()
    } else {
        format!(" {}", made.namespace)
    };
    made.url = address.url(ctx, call, &format!("{base}{path}"))?;
    made.name = address.name.unwrap_or_else(|| format!("{path}{place}"));
    made.headers = address.headers;
    made.timeout = address.timeout.or(made.timeout);
    Ok(made)
}

fn rooted(path: String) -> String {
    if path.starts_with('/') {
        path
    } else {
        format!("/{path}")
    }
}

/// Returns whether the socket starts with polling, and whether it uses WebSocket.
fn transports<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<(bool, bool)> {
    let all = texts(ctx, value, what)?;
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    match all[..] {
        ["websocket"] => Ok((false, true)),
        ["polling"] => Ok((true, false)),
        ["polling", "websocket"] => Ok((true, true)),
        _ => Err(type_error(
            ctx,
            &format!(r#"{what} must be ["websocket"], ["polling", "websocket"] or ["polling"]"#),
        )),
    }
}
