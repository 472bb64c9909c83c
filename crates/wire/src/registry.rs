//! The protocols whose URLs name a server. A protocol is registered here with one line.

use crate::scheme::Scheme;
use crate::{http, nats, resp, websocket};

/// The schemes of all protocols.
pub(crate) const SCHEMES: &[&[Scheme]] = &[
    http::SCHEMES,
    websocket::SCHEMES,
    nats::SCHEMES,
    resp::SCHEMES,
];
