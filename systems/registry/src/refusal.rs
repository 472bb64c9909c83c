use axum::Json;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::filter::FilterError;
use crate::name::NameError;

/// Reason why a request is refused. The text is for people; the code in the body is for programs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("the body does not match the expected JSON: {0}")]
    InvalidJson(String),
    #[error("invalid query: {0}")]
    InvalidQuery(String),
    #[error("not a WebSocket handshake: {0}")]
    InvalidUpgrade(String),
    #[error("invalid identity: {0}")]
    InvalidIdentity(NameError),
    #[error("invalid filter {0}")]
    InvalidFilter(FilterError),
    #[error("invalid metadata: {0}")]
    InvalidMetadata(String),
    #[error("`{0}`: {1}")]
    InvalidField(&'static str, String),
    #[error("the body is larger than {0} bytes")]
    BodyTooLarge(usize),
    #[error("the body is incomplete or did not arrive in time")]
    BodyIncomplete,
    #[error("the `Content-Type` of the body must be `application/json`")]
    NotJson,
    #[error("send the token of the namespace as `Authorization: Bearer TOKEN`")]
    Unauthenticated,
    #[error("requests from this origin are not allowed: add it to --allow-origin")]
    ForeignOrigin,
    #[error("no such namespace")]
    UnknownNamespace,
    #[error("the identity is not registered")]
    NotRegistered,
    #[error("the identity is already registered; `replace` replaces it")]
    AlreadyRegistered,
    #[error("the namespace is full: its limit is {0} {1}")]
    QuotaExceeded(u32, &'static str),
    #[error("too many requests: the limit of the namespace is {0} per second")]
    RateLimited(u32),
    #[error("no such route; `/openapi.json` lists the operations")]
    UnknownRoute,
    #[error("this route does not support the method of the request")]
    WrongMethod,
    #[error("too many messages wait for their receivers")]
    TooManyWaiting,
    #[error("too many large bodies are being read or written")]
    Crowded,
    #[error("too many changes wait to be saved")]
    Busy,
    #[error("the backend is unavailable: {0}")]
    BackendUnavailable(String),
    #[error("the registry is stopping")]
    Stopping,
    #[error("internal error: {0}")]
    Internal(String),
}

impl Refusal {
    /// The HTTP status and the code. Unlike the text, both are stable.
    fn parts(&self) -> (StatusCode, &'static str) {
        use StatusCode as S;
        match self {
            Self::InvalidJson(_) => (S::BAD_REQUEST, "invalid_json"),
            Self::InvalidQuery(_) => (S::BAD_REQUEST, "invalid_query"),
            Self::InvalidUpgrade(_) => (S::BAD_REQUEST, "invalid_upgrade"),
            Self::InvalidIdentity(_) => (S::BAD_REQUEST, "invalid_identity"),
            Self::InvalidFilter(_) => (S::BAD_REQUEST, "invalid_filter"),
            Self::InvalidMetadata(_) => (S::BAD_REQUEST, "invalid_metadata"),
            Self::InvalidField(..) => (S::BAD_REQUEST, "invalid_field"),
            Self::BodyIncomplete => (S::BAD_REQUEST, "body_incomplete"),
            Self::BodyTooLarge(_) => (S::PAYLOAD_TOO_LARGE, "body_too_large"),
            Self::NotJson => (S::UNSUPPORTED_MEDIA_TYPE, "not_json"),
            Self::Unauthenticated => (S::UNAUTHORIZED, "unauthenticated"),
            Self::ForeignOrigin => (S::FORBIDDEN, "foreign_origin"),
            Self::UnknownNamespace => (S::NOT_FOUND, "unknown_namespace"),
            Self::NotRegistered => (S::NOT_FOUND, "not_registered"),
            Self::UnknownRoute => (S::NOT_FOUND, "unknown_route"),
            Self::WrongMethod => (S::METHOD_NOT_ALLOWED, "wrong_method"),
            Self::AlreadyRegistered => (S::CONFLICT, "already_exists"),
            Self::QuotaExceeded(..) => (S::TOO_MANY_REQUESTS, "quota_exceeded"),
            Self::RateLimited(_) => (S::TOO_MANY_REQUESTS, "rate_limited"),
            Self::TooManyWaiting => (S::SERVICE_UNAVAILABLE, "too_many_waiting"),
            Self::Crowded => (S::SERVICE_UNAVAILABLE, "crowded"),
            Self::Busy => (S::SERVICE_UNAVAILABLE, "busy"),
            Self::BackendUnavailable(_) => (S::SERVICE_UNAVAILABLE, "backend_unavailable"),
            Self::Stopping => (S::SERVICE_UNAVAILABLE, "stopping"),
            Self::Internal(_) => (S::INTERNAL_SERVER_ERROR, "internal"),
        }
    }

    pub(crate) fn status(&self) -> u16 {
        self.parts().0.as_u16()
    }
}

impl From<NameError> for Refusal {
    fn from(error: NameError) -> Self {
        Self::InvalidIdentity(error)
    }
}

impl From<FilterError> for Refusal {
    fn from(error: FilterError) -> Self {
        Self::InvalidFilter(error)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        if let Self::Internal(error) = &self {
            tracing::error!(%error, "internal error");
        }
        let (status, code) = self.parts();
        let mut error = json!({ "code": code, "message": self.to_string() });
        if let Self::InvalidFilter(filter) = &self {
            error["at"] = filter.at.as_str().into();
        }
        let mut response = (status, Json(json!({ "error": error }))).into_response();
        let headers = response.headers_mut();
        let again =
            matches!(self, Self::RateLimited(_)) || status == StatusCode::SERVICE_UNAVAILABLE;
        if again {
            headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
