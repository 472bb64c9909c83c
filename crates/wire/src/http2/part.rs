use bytes::Bytes;

use super::stream_id::StreamId;
use crate::http::Headers;

/// A part of a response that is returned as it arrives.
#[derive(Clone, Debug)]
pub struct Part {
    /// The request.
    pub stream: StreamId,
    /// What arrived.
    pub content: Content,
}

/// The content of a part.
#[derive(Clone, Debug)]
pub enum Content {
    /// The head of the response. It comes first.
    Head {
        /// The status code.
        status: u16,
        /// The headers, in the form of HTTP/1.1.
        headers: Headers,
    },
    /// The next bytes of the body.
    Data(Bytes),
}
