use std::io::Write;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use model::{Fault, FaultKind};
use url::{Host, Url};

pub(crate) fn refused(detail: &str) -> Fault {
    Fault::script(FaultKind::Protocol, detail)
}

pub(crate) fn push_target(url: &Url, out: &mut Vec<u8>) {
    out.extend_from_slice(url.path().as_bytes());
    if let Some(query) = url.query() {
        out.push(b'?');
        out.extend_from_slice(query.as_bytes());
    }
}

pub(crate) fn push_authority(url: &Url, out: &mut Vec<u8>) -> Result<(), Fault> {
    match url.host() {
        None => return Err(refused("the URL has no host")),
        Some(Host::Domain(name)) => out.extend_from_slice(name.as_bytes()),
        Some(address) => out.extend_from_slice(address.to_string().as_bytes()),
    }
    if let Some(port) = url.port() {
        let _ = write!(out, ":{port}"); // writing to a Vec cannot fail
    }
    Ok(())
}

pub(crate) fn push_header(name: &str, value: &str, out: &mut Vec<u8>) -> Result<(), Fault> {
    check_header(name, value)?;
    push_line(name, value, out);
    Ok(())
}

/// Refuses names and values that would break the framing of a head.
pub(crate) fn check_header(name: &str, value: &str) -> Result<(), Fault> {
    if !is_token(name) {
        return Err(refused(&format!("header name {name:?} is not a token")));
    }
    if value.bytes().any(|byte| matches!(byte, b'\r' | b'\n' | 0)) {
        return Err(refused(&format!(
            "the value of header `{name}` contains a line break or NUL"
        )));
    }
    Ok(())
}

pub(crate) fn push_line(name: &str, value: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// Whether the text is a token (RFC 9110 §5.6.2).
pub(crate) fn is_token(text: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(allowed)
}

/// The `Authorization` value for the user name and password of a URL (RFC 7617).
pub(crate) fn basic(url: &Url) -> String {
    let decoded = |text: &str| -> Vec<u8> { percent_decode(text.as_bytes()) };
    let mut pair = decoded(url.username());
    pair.push(b':');
    pair.extend(decoded(url.password().unwrap_or_default()));
    format!("Basic {}", BASE64_STANDARD.encode(pair))
}

/// Percent-decodes text. Bytes that are not UTF-8 become U+FFFD.
pub(crate) fn percent_decoded(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&percent_decode(bytes)).into_owned()
}

fn percent_decode(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let code = bytes.get(at + 1..at + 3).filter(|_| bytes[at] == b'%');
        let code = code.filter(|code| code.iter().all(u8::is_ascii_hexdigit));
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        let byte = code.and_then(|code| u8::from_str_radix(code, 16).ok());
        out.push(byte.unwrap_or(bytes[at]));
        at += if byte.is_some() { 3 } else { 1 };
    }
    out
}
