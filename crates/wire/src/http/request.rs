use std::borrow::Cow;
use std::sync::Arc;

use model::Fault;
use url::Url;

use super::body::Body;
use super::encoding::{
    basic, check_header, is_token, push_authority, push_line, push_target, refused,
};

const USER_AGENT: &str = concat!("headcount/", env!("CARGO_PKG_VERSION"));

/// A request as the script describes it. [`Request::encode_into`] turns it into bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The method. Methods are case-sensitive and usually upper case.
    pub method: Cow<'static, str>,
    /// The absolute URL. A fragment is not sent.
    pub url: Arc<Url>,
    /// Headers in the order in which they are sent. They override the defaults.
    pub headers: Vec<(String, String)>,
    /// The body; may be empty.
    pub body: Body,
}

impl Request {
    /// A request with default headers only and without a body.
    pub fn new(method: impl Into<Cow<'static, str>>, url: Arc<Url>) -> Self {
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

    /// Whether the response may have a body. A response to HEAD has no body, regardless of the response's head.
    pub fn expects_body(&self) -> bool {
        self.method != "HEAD"
    }

    /// Whether sending the request twice has the same effect as sending it once (RFC 9110 §9.2.2).
    pub fn is_idempotent(&self) -> bool {
        matches!(
            &*self.method,
            "GET" | "HEAD" | "OPTIONS" | "PUT" | "DELETE" | "TRACE"
        )
    }

    /// Appends head and body to `out`, so that one send suffices. `cookies` is the jar's `Cookie` value.
    ///
    /// Sets Host, User-Agent, Accept, Accept-Encoding, Content-Type and Content-Length unless the request sets them.
    /// Names and values that would break the framing of the head are a fault of the script.
    pub fn encode_into(&self, cookies: Option<&str>, out: &mut Vec<u8>) -> Result<(), Fault> {
        self.check_method()?;
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
        self.each_header(cookies, |name, value| {
            push_line(name, value, out);
            Ok(())
        })?;
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&self.body.bytes);
        Ok(())
    }

    pub(crate) fn check_method(&self) -> Result<(), Fault> {
        if is_token(&self.method) {
            return Ok(());
        }
        Err(refused(&format!("method {:?} is not a token", self.method)))
    }

    /// Calls `emit` for every header except the default Host, in sending order, defaults first.
    pub(crate) fn each_header(
        &self,
        cookies: Option<&str>,
        mut emit: impl FnMut(&str, &str) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.each_default(&mut emit)?;
        self.each_of_body(&mut emit)?;
        if let Some(cookies) = cookies.filter(|_| self.header("cookie").is_none()) {
            check_header("Cookie", cookies)?;
            emit("Cookie", cookies)?;
        }
        for (name, value) in &self.headers {
            check_header(name, value)?;
            emit(name, value)?;
        }
        Ok(())
    }

    fn each_default(
        &self,
        emit: &mut impl FnMut(&str, &str) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        let defaults = [
            ("User-Agent", USER_AGENT),
            ("Accept", "*/*"),
            ("Accept-Encoding", "gzip, br"),
        ];
        for (name, value) in defaults {
            if self.header(name).is_none() {
                emit(name, value)?;
            }
        }
        if !self.url.username().is_empty() && self.header("authorization").is_none() {
            emit("Authorization", &basic(&self.url))?;
        }
        Ok(())
    }

    fn each_of_body(
        &self,
        emit: &mut impl FnMut(&str, &str) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        if self.header("transfer-encoding").is_some() {
            return Err(refused(
                "Transfer-Encoding cannot be set: headcount sends Content-Length",
            ));
        }
        let length = self.body.bytes.len();
        if let Some(given) = self.header("content-length") {
            if given.trim().parse() != Ok(length) {
                return Err(refused(&format!(
                    "Content-Length is {given:?}, but the body has {length} bytes"
                )));
            }
        } else if length > 0 || matches!(&*self.method, "POST" | "PUT" | "PATCH") {
            emit("Content-Length", &length.to_string())?;
        }
        match &self.body.content_type {
            Some(value) if self.header("content-type").is_none() => {
                check_header("Content-Type", value)?;
                emit("Content-Type", value)
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
