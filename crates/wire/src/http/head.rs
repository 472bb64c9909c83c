use std::mem::MaybeUninit;

use httparse::{Header, Status};
use model::{Fault, FaultKind};

use super::decode::Coding;
use super::grpc::{self, GrpcError};
use crate::fault::{printable, protocol, too_large};

/// Maximum size of a head, in bytes.
pub(crate) const HEAD_LIMIT: usize = 64 * 1024;
const HEADER_COUNT_LIMIT: usize = 128;

/// The fields of a response head that decide framing and handling of the response (RFC 9112 §6).
#[derive(Debug, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an independent property of a head"
)]
pub(crate) struct Head {
    pub(crate) status: u16,
    /// Bytes up to and including the empty line.
    pub(crate) size: usize,
    pub(crate) length: Option<u64>,
    pub(crate) chunked: bool,
    pub(crate) keep_alive: bool,
    pub(crate) coding: Coding,
    pub(crate) sets_cookies: bool,
    has_grpc_status: bool,
    pub(crate) grpc_error: Option<Box<GrpcError>>,
}

/// Parses a head. `None` if it is not complete yet.
pub(crate) fn parse(bytes: &[u8]) -> Result<Option<Head>, Fault> {
    let mut space = [const { MaybeUninit::<Header<'_>>::uninit() }; HEADER_COUNT_LIMIT];
    let mut parsed = httparse::Response::new(&mut []);
    let config = httparse::ParserConfig::default();
    let size = match config.parse_response_with_uninit_headers(&mut parsed, bytes, &mut space) {
        Ok(Status::Complete(size)) if size <= HEAD_LIMIT => size,
        Ok(Status::Partial) if bytes.len() <= HEAD_LIMIT => return Ok(None),
        Ok(_) => return Err(too_large("the response's head", HEAD_LIMIT)),
        Err(error) => return Err(not_http(error, bytes)),
    };
    let mut head = Head {
        status: parsed.code.unwrap_or_default(),
        size,
        length: None,
        chunked: false,
        keep_alive: parsed.version == Some(1),
        coding: Coding::Plain,
        sets_cookies: false,
        has_grpc_status: false,
        grpc_error: None,
    };
    for header in parsed.headers.iter() {
        head.note(header)?;
    }
    if head.has_grpc_status {
        head.grpc_error = grpc_error(parsed.headers);
    }
    if head.chunked && head.length.is_some() {
        // RFC 9112 §6.3: a server must not send both. Clients differ in which of the two headers they use, and attacks
        // exploit this difference.
        let both = "the response has both Content-Length and Transfer-Encoding: ambiguous length";
        return Err(protocol(both));
    }
    Ok(Some(head))
}

impl Head {
    fn note(&mut self, header: &Header<'_>) -> Result<(), Fault> {
        let name = header.name;
        // Matching on the length first leaves at most two string comparisons per header.
        match name.len() {
            10 if name.eq_ignore_ascii_case("connection") => {
                for option in tokens(header.value) {
                    if option.eq_ignore_ascii_case(b"close") {
                        self.keep_alive = false;
                    } else if option.eq_ignore_ascii_case(b"keep-alive") {
                        self.keep_alive = true;
                    }
                }
            }
            10 if name.eq_ignore_ascii_case("set-cookie") => self.sets_cookies = true,
            11 if name.eq_ignore_ascii_case(grpc::STATUS) => self.has_grpc_status = true,
            14 if name.eq_ignore_ascii_case("content-length") => {
                for value in tokens(header.value) {
                    let length = content_length(value)?;
                    if self.length.is_some_and(|before| before != length) {
                        return Err(protocol("the Content-Length values differ"));
                    }
                    self.length = Some(length);
                }
            }
            16 if name.eq_ignore_ascii_case("content-encoding") => {
                self.coding = Coding::from_header(header.value);
            }
            17 if name.eq_ignore_ascii_case("transfer-encoding") => {
                self.note_transfer_coding(header.value)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn note_transfer_coding(&mut self, value: &[u8]) -> Result<(), Fault> {
        for coding in tokens(value) {
            if self.chunked {
                // RFC 9112 §6.1 and §6.3: `chunked` is applied once, as the last coding. Otherwise the length is unknown.
                return Err(protocol(
                    "a transfer coding follows `chunked`: ambiguous length",
                ));
            }
            if coding.eq_ignore_ascii_case(b"chunked") {
                self.chunked = true;
            } else if !coding.eq_ignore_ascii_case(b"identity") {
                let coding = printable(coding);
                return Err(protocol(format!(
                    "transfer-encoding `{coding}` was not requested"
                )));
            }
        }
        Ok(())
    }
}

fn grpc_error(headers: &[Header<'_>]) -> Option<Box<GrpcError>> {
    let value = |name: &str| {
        let same = |header: &&Header<'_>| header.name.eq_ignore_ascii_case(name);
        headers.iter().find(same).map(|header| header.value)
    };
    GrpcError::of(value(grpc::STATUS)?, value(grpc::MESSAGE))
}

fn tokens(value: &[u8]) -> impl Iterator<Item = &[u8]> {
    value.split(|&byte| byte == b',').map(<[u8]>::trim_ascii)
}

fn content_length(value: &[u8]) -> Result<u64, Fault> {
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
    let add = |length: u64, byte| length.checked_mul(10)?.checked_add(digit(byte)?);
    let length = value.iter().try_fold(0, add).filter(|_| !value.is_empty());
    length.ok_or_else(|| protocol(format!("invalid content-length \"{}\"", printable(value))))
}

/// Whether the bytes begin with a TLS alert record, which TLS servers send in response to a plain request.
fn is_tls_alert(bytes: &[u8]) -> bool {
    const ALERT: u8 = 21;
    const MAJOR: u8 = 3;
    bytes.starts_with(&[ALERT, MAJOR])
}

fn not_http(error: httparse::Error, bytes: &[u8]) -> Fault {
    if is_tls_alert(bytes) {
        return protocol("not HTTP but TLS: write https:// or wss:// in the URL");
    }
    if !bytes.starts_with(b"HTTP/") {
        return protocol(format!("not HTTP: got \"{}\"", printable(bytes)));
    }
    if error == httparse::Error::TooManyHeaders {
        return Fault::target(
            FaultKind::TooLarge,
            format!("the response has more than {HEADER_COUNT_LIMIT} headers"),
        );
    }
    protocol(format!("malformed HTTP head: {error}"))
}
