use std::borrow::Cow;
use std::sync::Arc;

use model::{Nanos, UserId};
use url::Url;

/// The body of an HTTP request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Body {
    /// No body.
    #[default]
    None,
    /// Bytes with their content type.
    Bytes {
        /// `Content-Type`, unless the headers set one.
        content_type: Option<&'static str>,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// `application/x-www-form-urlencoded`.
    Form(Vec<(String, String)>),
    /// `multipart/form-data`.
    Multipart(Vec<Part>),
}

/// One part of a multipart body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Field name.
    pub name: String,
    /// File name, if the part is a file.
    pub filename: Option<String>,
    /// Content type, if set.
    pub content_type: Option<String>,
    /// The content.
    pub bytes: Vec<u8>,
}

/// An HTTP request of the script.
#[derive(Clone, Debug, Default)]
pub struct HttpCall {
    /// `GET`, `POST`, …
    pub method: Cow<'static, str>,
    /// The URL, absolute or relative to the target. `:name` parameters are already replaced.
    pub url: String,
    /// Name under which the request is measured. It contains `:name` instead of parameter values, so that there are few
    /// different names.
    pub name: String,
    /// Tags of this request.
    pub tags: Vec<(String, String)>,
    /// Headers of this request.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Body,
    /// Time limit for the whole request. `None` means the run's limit.
    pub timeout: Option<Nanos>,
    /// Maximum number of redirects to follow. `None` means the run's limit.
    pub redirects: Option<u32>,
    /// Statuses of 400 or more that do not count as failures.
    pub expect: Vec<u16>,
    /// Planned start. `None` means now.
    pub planned: Option<Nanos>,
}

/// An HTTP response. The head is stored raw, and parsed only when the script reads it.
#[derive(Clone, Debug, Default)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Status line and headers as received, including the blank line.
    pub head: Vec<u8>,
    /// The decoded body.
    pub body: Vec<u8>,
    /// The URL of the response, after redirects.
    pub url: Option<Arc<Url>>,
    /// Time from the planned start to the last byte.
    pub response_time: Nanos,
    /// The request, if it was counted as a success.
    pub request: Option<CountedRequest>,
}

/// A request that was counted as a success. [`Host::fail_request`](super::Host::fail_request) counts it as failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedRequest {
    /// The user who sent the request.
    pub user: UserId,
    /// The number of iterations that the user had ended before.
    pub epoch: u32,
    /// The engine's number of the name under which the request is counted.
    pub name: usize,
    /// Whether the request belongs to the measured time.
    pub measured: bool,
}
