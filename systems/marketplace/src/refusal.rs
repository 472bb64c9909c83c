use axum::Json;
use axum::http::header::{RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::state::Illegal;

/// Why something was refused. The text is for people, [`Refusal::code`] for programs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("the body is not the expected JSON: {0}")]
    InvalidJson(String),
    #[error("the query is not understood: {0}")]
    InvalidQuery(String),
    #[error("`{0}`: {1}")]
    InvalidField(&'static str, String),
    #[error("`Idempotency-Key` has 1 to 200 visible ASCII characters")]
    InvalidKey,
    #[error("a body has at most {limit} bytes")]
    BodyTooLarge { limit: usize },
    #[error("the body ended before it was complete")]
    BodyIncomplete,
    #[error("the body must be `application/json`")]
    NotJson,
    #[error("log in, and send `Authorization: Bearer TOKEN`")]
    Unauthenticated,
    #[error("e-mail or password is wrong")]
    WrongCredentials,
    #[error("this refresh token is not good any longer: log in again")]
    SpentToken,
    #[error("the signature is missing, wrong or too old")]
    WrongSignature,
    #[error("only {0} may do this")]
    Forbidden(&'static str),
    #[error("there is no such {0}")]
    NotFound(&'static str),
    #[error("there is no such route")]
    UnknownRoute,
    #[error("this route has no such method")]
    WrongMethod,
    #[error("there is an account with this e-mail address already")]
    EmailTaken,
    #[error("you have an offer for this request already: counter or withdraw it")]
    AlreadyOffered(Illegal),
    #[error("there is a payment for this request already")]
    AlreadyPaid(Illegal),
    #[error("this offer is not valid any longer")]
    OfferOver(Illegal),
    #[error("you have rated this trade already")]
    AlreadyRated(Illegal),
    #[error("another step was faster")]
    Overtaken,
    #[error("a {} in state `{}` has no step `{}` for you", .0.subject, .0.state, .0.action)]
    Illegal(Illegal),
    #[error("this is event {got} of the payment, and event {expected} is expected")]
    OutOfOrder { expected: i64, got: i64 },
    #[error("another event has this `id`")]
    EventReused,
    #[error("this `Idempotency-Key` belongs to another request")]
    KeyReused,
    #[error("too many requests: {limit} in {window_s} s are let pass")]
    RateLimited {
        limit: u32,
        window_s: u64,
        retry_s: u64,
    },
    #[error("too many passwords wait to be hashed")]
    HashingFull { retry_s: u64 },
    #[error("too many streams are open")]
    TooManyStreams,
    #[error("the database is busy")]
    Busy,
    #[error("the database does not answer; what was asked may or may not be done")]
    Unreachable,
    #[error("the marketplace stops")]
    Stopping,
    #[error("the database refused; it is in the log")]
    Database(#[source] sqlx::Error),
    #[error("something went wrong; it is in the log")]
    Internal(String),
}

impl Refusal {
    /// The status and a word that stay the same whatever the text says.
    fn parts(&self) -> (StatusCode, &'static str) {
        use StatusCode as S;
        match self {
            Self::InvalidJson(_) => (S::BAD_REQUEST, "invalid_json"),
            Self::InvalidQuery(_) => (S::BAD_REQUEST, "invalid_query"),
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
            Self::Busy => (S::SERVICE_UNAVAILABLE, "busy"),
            Self::Unreachable => (S::SERVICE_UNAVAILABLE, "database_unreachable"),
            Self::Stopping => (S::SERVICE_UNAVAILABLE, "stopping"),
            Self::Database(_) => (S::INTERNAL_SERVER_ERROR, "database"),
            Self::Internal(_) => (S::INTERNAL_SERVER_ERROR, "internal"),
        }
    }

    /// A word that stays the same whatever the text says.
    pub(crate) fn code(&self) -> &'static str {
        self.parts().1
    }

    /// Seconds after which it is worth trying again.
    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::RateLimited { retry_s, .. } | Self::HashingFull { retry_s } => Some(*retry_s),
            Self::Busy | Self::Unreachable | Self::TooManyStreams | Self::Stopping => Some(1),
            _ => None,
        }
    }

    /// What a second row is refused with where the database lets there be one.
    pub(crate) fn once(error: sqlx::Error, refusal: Self) -> Self {
        match Self::from(error) {
            Self::Overtaken => refusal,
            other => other,
        }
    }

    /// How it stands where a step is refused.
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

    /// `{"error":{"code","message"}}`; of a step that is refused the state and what is allowed too.
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

/// Whether `PostgreSQL` goes or comes: it shuts down, starts, or lost the connection.
fn is_going(cause: &dyn sqlx::error::DatabaseError) -> bool {
    let code = cause.code().unwrap_or_default();
    code.starts_with("57P") || code.starts_with("08")
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        Self::Internal(format!("no random numbers: {error}"))
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
            Self::Database(error) => tracing::error!(%error, "the database refused"),
            Self::Internal(error) => tracing::error!(%error, "something went wrong"),
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
