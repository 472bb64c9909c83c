use std::io::Write;
use std::sync::Arc;

use model::Fault;
use url::Url;

use super::body::Body;
use super::encoding::{
    basic, is_token, push_authority, push_header, push_line, push_target, refused,
};

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

#[cfg(test)]
mod tests;
