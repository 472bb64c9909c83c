//! Options of requests and sockets.

use std::borrow::Cow;

use model::Nanos;
use rquickjs::{Ctx, Result, Value};

use super::arg::{kind, span, text, type_error, url_text, whole};
use super::options::{each, object_of, pairs};
use super::payload::{bytes, json};
use super::tags::tags;
use super::url::{fill, template, with_query};
use crate::host::{Body, DocumentsIn, HttpCall, Part, SocketCall};

const KNOWN: [&str; 12] = [
    "json",
    "form",
    "multipart",
    "body",
    "params",
    "query",
    "headers",
    "name",
    "timeout",
    "redirects",
    "expect",
    "tags",
];
const KNOWN_SOCKET: [&str; 7] = [
    "headers",
    "subprotocols",
    "documents",
    "query",
    "params",
    "name",
    "timeout",
];

/// Options about the URL, shared by requests and sockets.
#[derive(Default)]
pub(super) struct Address {
    params: Vec<(String, String)>,
    query: Vec<(String, String)>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) name: Option<String>,
    pub(super) timeout: Option<Nanos>,
}

impl Address {
    /// Sets the option if its key is one of these fields. Returns whether it is.
    pub(super) fn take<'js>(
        &mut self,
        ctx: &Ctx<'js>,
        call: &str,
        key: &str,
        value: &Value<'js>,
    ) -> Result<bool> {
        let what = || format!("{call}: `{key}`");
        match key {
            "params" => self.params = pairs(ctx, value, &what())?,
            "query" => self.query = pairs(ctx, value, &what())?,
            "headers" => self.headers = pairs(ctx, value, &what())?,
            "name" => self.name = Some(text(ctx, value, &what())?),
            "timeout" => self.timeout = Some(span(ctx, value, &what())?),
            _ => return Ok(false),
        }
        Ok(true)
    }

    pub(super) fn url(&self, ctx: &Ctx<'_>, call: &str, url: &str) -> Result<String> {
        let filled =
            fill(url, &self.params).map_err(|why| type_error(ctx, &format!("{call}: {why}")))?;
        Ok(if self.query.is_empty() {
            filled
        } else {
            with_query(&filled, &self.query)
        })
    }
}

/// Converts the arguments of an HTTP request.
pub(super) fn http_call<'js>(
    ctx: &Ctx<'js>,
    method: Cow<'static, str>,
    url: &Value<'js>,
    options: &Value<'js>,
    planned: Option<Nanos>,
) -> Result<HttpCall> {
    let call = || format!("user.{}(url, options)", method.to_ascii_lowercase());
    let url = match url.as_string().and_then(|url| url.to_string().ok()) {
        Some(url) => url,
        None => url_text(ctx, url, &format!("{}: the URL", call()))?,
    };
    let mut address = Address::default();
    let mut made = HttpCall {
        planned,
        ..HttpCall::default()
    };
    if options.is_undefined() {
        made.name = name_of(&method, &template(&url));
        made.url = if url.contains("/:") {
            address.url(ctx, &call(), &url)?
        } else {
            url
        };
        made.method = method;
        return Ok(made);
    }
    let call = call();
    each(ctx, options, &call, &KNOWN, |key, value| {
        if address.take(ctx, &call, key, &value)? {
            return Ok(());
        }
        let what = format!("{call}: `{key}`");
        match key {
            "redirects" => made.redirects = Some(whole(ctx, &value, &what, (0, 100))?),
            "expect" => made.expect = statuses(ctx, &value, &what)?,
            "tags" => made.tags = tags(ctx, &value, &what)?,
            _ if made.body != Body::None => {
                let message = format!("{call}: give only one of json, form, multipart and body");
                return Err(type_error(ctx, &message));
            }
            _ => made.body = body(ctx, key, &value, &what)?,
        }
        Ok(())
    })?;
    made.url = address.url(ctx, &call, &url)?;
    made.name = address
        .name
        .unwrap_or_else(|| name_of(&method, &template(&url)));
    made.headers = address.headers;
    made.timeout = address.timeout;
    made.method = method;
    Ok(made)
}

/// The name under which a request is measured. `concat` and `format!` take several times as long.
fn name_of(method: &str, path: &str) -> String {
    let mut name = String::with_capacity(method.len() + 1 + path.len());
    name.push_str(method);
    name.push(' ');
    name.push_str(path);
    name
}

/// Converts the arguments for opening a WebSocket.
pub(super) fn socket_call<'js>(
    ctx: &Ctx<'js>,
    url: &Value<'js>,
    options: &Value<'js>,
    planned: Option<Nanos>,
) -> Result<SocketCall> {
    let call = "user.websocket(url, options)";
    let url = url_text(ctx, url, &format!("{call}: the URL"))?;
    let mut address = Address::default();
    let mut subprotocols = Vec::new();
    let mut documents = DocumentsIn::default();
    each(ctx, options, call, &KNOWN_SOCKET, |key, value| {
        let what = format!("{call}: `{key}`");
        match key {
            _ if address.take(ctx, call, key, &value)? => {}
            "documents" => documents = documents_in(ctx, &value, &what)?,
            _ => subprotocols = texts(ctx, &value, &what)?,
        }
        Ok(())
    })?;
    Ok(SocketCall {
        url: address.url(ctx, call, &url)?,
        name: address.name.unwrap_or_else(|| template(&url).into_owned()),
        headers: address.headers,
        subprotocols,
        documents,
        timeout: address.timeout,
        planned,
    })
}

pub(super) fn documents_in<'js>(
    ctx: &Ctx<'js>,
    value: &Value<'js>,
    what: &str,
) -> Result<DocumentsIn> {
    let name = text(ctx, value, what)?;
    Ok(match name.as_str() {
        "auto" => DocumentsIn::Auto,
        "whole" => DocumentsIn::Whole,
        "array" => DocumentsIn::Array,
        "newline" => DocumentsIn::Lines,
        "0x1e" => DocumentsIn::Records,
        _ => {
            let known = r#""auto", "whole", "array", "newline" or "0x1e""#;
            return Err(type_error(
                ctx,
                &format!("{what} must be {known}, not {name:?}"),
            ));
        }
    })
}

fn body<'js>(ctx: &Ctx<'js>, key: &str, value: &Value<'js>, what: &str) -> Result<Body> {
    Ok(match key {
        "json" => Body::Bytes {
            content_type: Some("application/json"),
            bytes: json(ctx, value, what)?.into_bytes(),
        },
        "form" => Body::Form(pairs(ctx, value, what)?),
        "multipart" => Body::Multipart(parts(ctx, value, what)?),
        _ => match bytes(value) {
            Some(bytes) => Body::Bytes {
                content_type: Some("application/octet-stream"),
                bytes,
            },
            None => Body::Bytes {
                content_type: Some("text/plain; charset=utf-8"),
                bytes: text(ctx, value, what)?.into_bytes(),
            },
        },
    })
}

fn parts<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Vec<Part>> {
    let object = object_of(ctx, value, what)?;
    let mut parts = Vec::new();
    for property in object.props::<String, Value<'js>>() {
        let (name, value) = property?;
        let mut part = Part {
            name,
            filename: None,
            content_type: None,
            bytes: Vec::new(),
        };
        let what = format!("{what}.{}", part.name);
        if value.is_string() {
            part.bytes = text(ctx, &value, &what)?.into_bytes();
        } else {
            let mut content = None;
            each(
                ctx,
                &value,
                &what,
                &["content", "filename", "type"],
                |key, value| {
                    let what = format!("{what}.{key}");
                    match key {
                        "content" => content = Some(content_of(ctx, &value, &what)?),
                        "filename" => part.filename = Some(text(ctx, &value, &what)?),
                        _ => part.content_type = Some(text(ctx, &value, &what)?),
                    }
                    Ok(())
                },
            )?;
            part.bytes =
                content.ok_or_else(|| type_error(ctx, &format!("{what} has no `content`")))?;
        }
        parts.push(part);
    }
    Ok(parts)
}

fn content_of<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Vec<u8>> {
    match bytes(value) {
        Some(bytes) => Ok(bytes),
        None => text(ctx, value, what).map(String::into_bytes),
    }
}

#[expect(clippy::cast_possible_truncation, reason = "at most 599")]
fn statuses<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Vec<u16>> {
    let status =
        |value: &Value<'js>| whole(ctx, value, what, (100, 599)).map(|status| status as u16);
    match value.as_array() {
        Some(list) => list
            .iter::<Value<'js>>()
            .map(|value| status(&value?))
            .collect(),
        None => Ok(vec![status(value)?]),
    }
}

pub(super) fn texts<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Vec<String>> {
    match value.as_array() {
        Some(list) => list
            .iter::<Value<'js>>()
            .map(|value| text(ctx, &value?, what))
            .collect(),
        None => Err(type_error(
            ctx,
            &format!("{what} must be a list of strings, not {}", kind(value)),
        )),
    }
}
