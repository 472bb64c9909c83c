use std::io::Write;
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use model::{Fault, FaultKind};
use url::{Host, Url};

use super::body::Body;

const USER_AGENT: &str = concat!("headcount/", env!("CARGO_PKG_VERSION"));

/// A request as the script means it; [`Request::encode_into`] makes bytes of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Upper case as a rule: methods are case-sensitive.
    pub method: String,
    /// Absolute; a fragment is not sent.
    pub url: Arc<Url>,
    /// Override the defaults, in the order in which they go out.
    pub headers: Vec<(String, String)>,
    /// May be empty.
    pub body: Body,
}

impl Request {
    /// Without headers of its own and without a body.
    pub fn new(method: impl Into<String>, url: Arc<Url>) -> Self {
        Self {
            method: method.into(),
            url,
            headers: Vec::new(),
            body: Body::empty(),
        }
    }

    /// The value of a header that the request sets itself.
    pub fn header(&self, name: &str) -> Option<&str> {
        let same = |(key, _): &&(String, String)| key.eq_ignore_ascii_case(name);
        self.headers
            .iter()
            .find(same)
            .map(|(_, value)| value.as_str())
    }

    /// HEAD has no response body, whatever the response's head says.
    pub fn expects_body(&self) -> bool {
        self.method != "HEAD"
    }

    /// Appends head and body to `out`, so that one send suffices. `cookies` is the jar's `Cookie` value.
    ///
    /// Sets Host, User-Agent, Accept, Accept-Encoding, Content-Type and Content-Length unless the request
    /// does. Names and values that would break the head's framing are the script's fault.
    pub fn encode_into(&self, cookies: Option<&str>, out: &mut Vec<u8>) -> Result<(), Fault> {
        if !is_token(&self.method) {
            return Err(refused(&format!("method {:?} is not a token", self.method)));
        }
        out.reserve(256 + self.body.bytes.len());
        out.extend_from_slice(self.method.as_bytes());
        out.push(b' ');
        push_target(&self.url, out);
        out.extend_from_slice(b" HTTP/1.1\r\n");
        if self.header("host").is_none() {
            out.extend_from_slice(b"Host: ");
            push_authority(&self.url, out)?;
            out.extend_from_slice(b"\r\n");
        }
        self.push_defaults(out);
        self.push_framing(out)?;
        if let Some(cookies) = cookies.filter(|_| self.header("cookie").is_none()) {
            push_header("Cookie", cookies, out)?;
        }
        for (name, value) in &self.headers {
            push_header(name, value, out)?;
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&self.body.bytes);
        Ok(())
    }

    fn push_defaults(&self, out: &mut Vec<u8>) {
        let defaults = [
            ("User-Agent", USER_AGENT),
            ("Accept", "*/*"),
            ("Accept-Encoding", "gzip, br"),
        ];
        for (name, value) in defaults {
            if self.header(name).is_none() {
                push_line(name, value, out);
            }
        }
        if !self.url.username().is_empty() && self.header("authorization").is_none() {
            push_line("Authorization", &basic(&self.url), out);
        }
    }

    fn push_framing(&self, out: &mut Vec<u8>) -> Result<(), Fault> {
        if self.header("transfer-encoding").is_some() {
            return Err(refused(
                "Transfer-Encoding cannot be set: the body is sent whole",
            ));
        }
        let length = self.body.bytes.len();
        if let Some(given) = self.header("content-length") {
            if given.trim().parse() != Ok(length) {
                return Err(refused(&format!(
                    "Content-Length {given:?} for a body of {length} bytes"
                )));
            }
        } else if length > 0 || matches!(self.method.as_str(), "POST" | "PUT" | "PATCH") {
            let _ = write!(out, "Content-Length: {length}\r\n"); // a Vec takes everything
        }
        match &self.body.content_type {
            Some(value) if self.header("content-type").is_none() => {
                push_header("Content-Type", value, out)
            }
            _ => Ok(()),
        }
    }
}

fn refused(detail: &str) -> Fault {
    Fault::script(FaultKind::Protocol, detail)
}

fn push_target(url: &Url, out: &mut Vec<u8>) {
    out.extend_from_slice(url.path().as_bytes());
    if let Some(query) = url.query() {
        out.push(b'?');
        out.extend_from_slice(query.as_bytes());
    }
}

pub(crate) fn push_authority(url: &Url, out: &mut Vec<u8>) -> Result<(), Fault> {
    match url.host() {
        None => return Err(refused("URL without a host")),
        Some(Host::Domain(name)) => out.extend_from_slice(name.as_bytes()),
        Some(address) => out.extend_from_slice(address.to_string().as_bytes()),
    }
    if let Some(port) = url.port() {
        let _ = write!(out, ":{port}"); // a Vec takes everything
    }
    Ok(())
}

pub(crate) fn push_header(name: &str, value: &str, out: &mut Vec<u8>) -> Result<(), Fault> {
    if !is_token(name) {
        return Err(refused(&format!("header name {name:?} is not a token")));
    }
    if value.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
        return Err(refused(&format!("a line break in the value of `{name}`")));
    }
    push_line(name, value, out);
    Ok(())
}

fn push_line(name: &str, value: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// RFC 9110 §5.6.2.
pub(crate) fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}

fn basic(url: &Url) -> String {
    let decoded = |text: &str| -> Vec<u8> { percent_decode(text) };
    let mut pair = decoded(url.username());
    pair.push(b':');
    pair.extend(decoded(url.password().unwrap_or_default()));
    format!("Basic {}", BASE64_STANDARD.encode(pair))
}

fn percent_decode(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = text.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        out.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    out
}
