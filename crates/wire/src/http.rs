//! HTTP/1.1: encodes requests into one buffer and parses responses from the bytes of each read.
//!
//! A connection has at most one request in flight, because pipelined responses have no separate service times.

mod body;
pub(crate) mod chunked;
mod connection;
mod cookies;
mod date;
pub(crate) mod decode;
pub(crate) mod encoding;
pub(crate) mod grpc;
pub(crate) mod head;
mod headers;
mod parser;
mod quota;
mod quote;
mod redirect;
mod request;
mod response;

pub use body::{Body, Part};
pub use connection::Connection;
pub use cookies::CookieJar;
pub use grpc::GrpcError;
pub use headers::Headers;
pub use parser::Parser;
pub use quota::{Policy, Quota};
pub use quote::quoted_body;
pub use redirect::follow;
pub use request::Request;
pub use response::Response;

use crate::scheme::Scheme;

pub(crate) const SCHEMES: &[Scheme] = &[
    Scheme::new("http", 80, false),
    Scheme::new("https", 443, true),
];
