use axum::Json;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::state::Illegal;

/// Reason why a request is refused. The text is for people; [`Refusal::code`] is for programs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("the body does not match the expected JSON: {0}")]
    InvalidJson(String),
    #[error("invalid query: {0}")]
    InvalidQuery(String),
    #[error("not a WebSocket handshake: {0}")]
    InvalidUpgrade(String),
    #[error("`{0}`: {1}")]
    InvalidField(&'static str, String),
    #[error("`Idempotency-Key` must have 1 to 200 visible ASCII characters")]
    InvalidKey,
    #[error("the body is too large; at most {limit} bytes are accepted")]
    BodyTooLarge { limit: usize },
    #[error("too many large bodies are being read or written; try again later")]
    Crowded,
    #[error("the body is incomplete or did not arrive in time")]
    BodyIncomplete,
    #[error("the `Content-Type` of the body must be `application/json`")]
    NotJson,
    #[error("not authenticated: log in and send `Authorization: Bearer TOKEN`")]
    Unauthenticated,
    #[error("wrong e-mail address or password")]
    WrongCredentials,
    #[error("the refresh token is invalid, expired or already used; log in again")]
    SpentToken,
    #[error("the signature is missing, wrong or too old")]
    WrongSignature,
    #[error("only {0} may do this")]
    Forbidden(&'static str),
    #[error("{0} not found")]
    NotFound(&'static str),
    #[error("no such route; `/openapi.json` lists the operations")]
    UnknownRoute,
    #[error("this route does not support the method of the request")]
    WrongMethod,
    #[error("an account with this e-mail address already exists")]
    EmailTaken,
    #[error("you already have an offer for this request; counter or withdraw it")]
    AlreadyOffered(Illegal),
    #[error("this request already has a payment")]
    AlreadyPaid(Illegal),
    #[error("this offer has expired")]
    OfferOver(Illegal),
    #[error("you have already rated this trade")]
    AlreadyRated(Illegal),
    #[error("another request changed the same data first")]
    Overtaken,
    #[error("step `{}` is not allowed: the {} is in state `{}`", .0.action, .0.subject, .0.state)]
    Illegal(Illegal),
    #[error("expected event {expected} of the payment, got event {got}")]
    OutOfOrder { expected: i64, got: i64 },
    #[error("another event already has this `id`")]
    EventReused,
    #[error("this `Idempotency-Key` was already used for another request")]
    KeyReused,
    #[error("too many requests: the limit is {limit} per {window_s} s")]
    RateLimited {
        limit: u32,
        window_s: u64,
        retry_s: u64,
    },
    #[error("too many passwords wait to be hashed; try again later")]
    HashingFull { retry_s: u64 },
    #[error("too many open streams; try again later")]
    TooManyStreams,
    #[error("the database is busy; try again")]
    Busy,
    #[error("the database does not respond; the request may or may not have been executed")]
    Unreachable,
    #[error("the marketplace is shutting down")]
    Stopping,
    #[error("database error; see the server's log")]
    Database(#[source] sqlx::Error),
    #[error("internal error; see the server's log")]
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
            Self::InvalidField(..) => (S::BAD_REQUEST, "invalid_field"),
            Self::InvalidKey => (S::BAD_REQUEST, "invalid_key"),
            Self::BodyIncomplete => (S::BAD_REQUEST, "body_incomplete"),
            Self::BodyTooLarge { .. } => (S::PAYLOAD_TOO_LARGE, "body_too_large"),
            Self::NotJson => (S::UNSUPPORTED_MEDIA_TYPE, "not_json"),
            Self::Unauthenticated => (S::UNAUTHORIZED, "unauthenticated"),
            Self::WrongCredentials => (S::UNAUTHORIZED, "wrong_credentials"),
            Self::SpentToken => (S::UNAUTHORIZED, "spent_token"),
            Self::WrongSignature => (S::UNAUTHORIZED, "wrong_signature"),
            Self::Forbidden(_) => (S::FORBIDDEN, "forbidden"),
            Self::NotFound(_) => (S::NOT_FOUND, "not_found"),
            Self::UnknownRoute => (S::NOT_FOUND, "unknown_route"),
            Self::WrongMethod => (S::METHOD_NOT_ALLOWED, "wrong_method"),
            Self::EmailTaken => (S::CONFLICT, "email_taken"),
            Self::AlreadyOffered(_) => (S::CONFLICT, "already_offered"),
            Self::AlreadyPaid(_) => (S::CONFLICT, "already_paid"),
            Self::OfferOver(_) => (S::CONFLICT, "offer_over"),
            Self::AlreadyRated(_) => (S::CONFLICT, "already_rated"),
            Self::Overtaken => (S::CONFLICT, "overtaken"),
            Self::Illegal(_) => (S::CONFLICT, "illegal_step"),
            Self::OutOfOrder { .. } => (S::CONFLICT, "out_of_order"),
            Self::EventReused => (S::CONFLICT, "event_reused"),
            Self::KeyReused => (S::UNPROCESSABLE_ENTITY, "key_reused"),
            Self::RateLimited { .. } => (S::TOO_MANY_REQUESTS, "rate_limited"),
            Self::HashingFull { .. } => (S::SERVICE_UNAVAILABLE, "hashing_full"),
            Self::TooManyStreams => (S::SERVICE_UNAVAILABLE, "too_many_streams"),
            Self::Crowded => (S::SERVICE_UNAVAILABLE, "crowded"),
            Self::Busy => (S::SERVICE_UNAVAILABLE, "busy"),
            Self::Unreachable => (S::SERVICE_UNAVAILABLE, "database_unreachable"),
            Self::Stopping => (S::SERVICE_UNAVAILABLE, "stopping"),
            Self::Database(_) => (S::INTERNAL_SERVER_ERROR, "database"),
            Self::Internal(_) => (S::INTERNAL_SERVER_ERROR, "internal"),
        }
    }

    /// The error code, a stable word for programs.
    pub(crate) fn code(&self) -> &'static str {
        self.parts().1
    }

    /// The value of `Retry-After` in seconds. `None` if repeating the request does not help.
    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::RateLimited { retry_s, .. } | Self::HashingFull { retry_s } => Some(*retry_s),
            Self::Busy | Self::Unreachable | Self::TooManyStreams | Self::Stopping => Some(1),
            _ => None,
        }
    }

    /// Converts the error of an insert. If a unique index rejected the row, returns `refusal`.
    pub(crate) fn once(error: sqlx::Error, refusal: Self) -> Self {
        match Self::from(error) {
            Self::Overtaken => refusal,
            other => other,
        }
    }

    /// The current state and the allowed steps. `None` unless a state table refused a step.
    fn standing(&self) -> Option<&Illegal> {
        match self {
            Self::Illegal(illegal)
            | Self::AlreadyOffered(illegal)
            | Self::AlreadyPaid(illegal)
            | Self::OfferOver(illegal)
            | Self::AlreadyRated(illegal) => Some(illegal),
            _ => None,
        }
    }

    /// The body of the response, `{"error":{"code","message"}}`. For a refused step it also contains `subject`, `state`
    /// and `allowed`.
    pub(crate) fn body(&self) -> serde_json::Value {
        let mut error = json!({ "code": self.code(), "message": self.to_string() });
        if let Some(illegal) = self.standing() {
            error["subject"] = illegal.subject.into();
            error["state"] = illegal.state.into();
            error["allowed"] = json!(illegal.allowed);
        }
        json!({ "error": error })
    }
}

impl From<sqlx::Error> for Refusal {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::PoolTimedOut => Self::Busy,
            sqlx::Error::PoolClosed => Self::Stopping,
            sqlx::Error::Io(_) | sqlx::Error::Protocol(_) => Self::Unreachable,
            sqlx::Error::Database(cause) if cause.is_unique_violation() => Self::Overtaken,
            sqlx::Error::Database(cause) if is_going(&**cause) => Self::Unreachable,
            _ => Self::Database(error),
        }
    }
}

/// Whether `PostgreSQL` is shutting down or starting, or the connection was lost (SQLSTATE classes 57P and 08).
fn is_going(cause: &dyn sqlx::error::DatabaseError) -> bool {
    let code = cause.code().unwrap_or_default();
    code.starts_with("57P") || code.starts_with("08")
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        Self::Internal(format!("the system provides no random numbers: {error}"))
    }
}

impl From<Illegal> for Refusal {
    fn from(illegal: Illegal) -> Self {
        if illegal.by_others {
            return Self::Forbidden("the other side of the trade");
        }
        Self::Illegal(illegal)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        match &self {
            Self::Database(error) => tracing::error!(%error, "database error"),
            Self::Internal(error) => tracing::error!(%error, "internal error"),
            _ => {}
        }
        let status = self.parts().0;
        let mut response = (status, Json(self.body())).into_response();
        let headers = response.headers_mut();
        if let Some(seconds) = self.retry_after() {
            headers.insert(RETRY_AFTER, seconds.max(1).into());
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
