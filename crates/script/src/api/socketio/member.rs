//! Members of passive audiences with a socket.

use rquickjs::{Ctx, Result, Value};

use super::super::arg::{type_error, url_text};
use super::super::audience::member::{MemberKind, Options};
use super::super::plain;
use super::names_an_event;
use super::options::socketio_options;
use crate::host::{Payload, SocketIoCall};

const KNOWN_FOR_MEMBERS: [&str; 6] = ["url", "namespace", "auth", "path", "query", "headers"];

impl MemberKind for SocketIoCall {
    const KEY: &'static str = "socketio";
    const NOUN: &'static str = "a Socket.IO socket";
    const TAKES: &'static [&'static str] = &["ready", "send"];
    const HAS_EVENTS: bool = true;

    /// Converts an event: a list of its name and its arguments, without bytes.
    fn first<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Payload> {
        let name = value.as_array().map(|list| list.get::<Value<'js>>(0));
        let is_named = name.transpose()?.is_some_and(|name| names_an_event(&name));
        let list = plain::json(ctx, value)?.filter(|_| is_named);
        let refusal = || {
            let example = "[\"join\", { room: 1 }]";
            type_error(
                ctx,
                &format!("{what} must be a list of events such as {example}, without bytes"),
            )
        };
        list.map(Payload::Text).ok_or_else(refusal)
    }

    fn call<'js>(
        ctx: &Ctx<'js>,
        options: &mut Options<'js>,
        connection: &Value<'js>,
        what: &str,
    ) -> Result<Self> {
        let made = Self {
            timeout: options.timeout,
            ..Self::default()
        };
        let of = (what, &KNOWN_FOR_MEMBERS[..]);
        let url = url_in(ctx, connection, what)?;
        socketio_options(ctx, (&url, connection), of, made)
    }
}

/// The URL of the server in these options; empty for the target.
fn url_in<'js>(ctx: &Ctx<'js>, options: &Value<'js>, what: &str) -> Result<String> {
    let url = match options.as_object() {
        Some(options) => options.get::<_, Value<'js>>("url")?,
        None => return Ok(String::new()),
    };
    if url.is_undefined() {
        return Ok(String::new());
    }
    url_text(ctx, &url, &format!("{what}: `url`"))
}
