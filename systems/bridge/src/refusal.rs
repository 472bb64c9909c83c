use axum::body::Bytes;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode};
use http_body_util::Full;
use serde_json::json;

/// Reason why a request was refused. The text is for people; [`Refusal::code`] is for programs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("the body is not valid: {0}")]
    InvalidJson(String),
    #[error("the query string is not valid: {0}")]
    InvalidQuery(String),
    #[error("a user name must have 1 to 64 bytes and no control characters")]
    InvalidUser,
    #[error("the message is empty")]
    EmptyMessage,
    #[error("the message is larger than {limit} bytes")]
    MessageTooLarge { limit: u32 },
    #[error("the body is larger than {limit} bytes")]
    BodyTooLarge { limit: u32 },
    #[error("the body is incomplete")]
    BodyIncomplete,
    #[error("unknown room `{room}`; the rooms are {rooms}")]
    UnknownRoom { room: String, rooms: String },
    #[error("no session matches this request")]
    UnknownSession,
    #[error("the session does not belong to this user")]
    WrongSession,
    #[error("this user already has a session; send the session's secret as `session`")]
    SessionRequired,
    #[error("the room `{room}` is full: its limit is {limit} users")]
    RoomFull { room: String, limit: u32 },
    #[error("the server is full: its limit is {limit} sessions")]
    TooManySessions { limit: u32 },
    #[error("too many messages: the limit is {limit} per second and session")]
    RateLimited { limit: u32 },
    #[error("too many new sessions: the limit is {limit} per address in {window_s} s")]
    TooManyFromAddress {
        limit: u32,
        window_s: u64,
        reset_s: u64,
    },
    #[error("requests from this origin are not allowed: add it to --allow-origin")]
    ForeignOrigin,
    #[error("the agent did not reply in time")]
    AgentTimeout,
    #[error("the agent is unavailable: {0}")]
    AgentUnavailable(String),
    #[error(
        "the message was delivered but gets no reply: {0} earlier messages are waiting for the agent"
    )]
    AgentBusy(usize),
    #[error("the bridge is stopping")]
    Stopping,
    #[error("expected a WebSocket upgrade: {0}")]
    NotAnUpgrade(String),
    #[error("expected a text message")]
    TextExpected,
    #[error("unknown message type `{0}`; expected `say`, `move` or `end`")]
    UnknownType(String),
    #[error("unknown route")]
    UnknownRoute,
    #[error("this route does not support this method")]
    WrongMethod,
    #[error("the operating system returned no random numbers: {0}")]
    NoRandom(String),
}

impl Refusal {
    /// Returns an identifier of the error that stays the same when the text changes.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::InvalidJson(_) => "invalid_json",
            Self::InvalidQuery(_) => "invalid_query",
            Self::InvalidUser => "invalid_user",
            Self::EmptyMessage => "empty_message",
            Self::MessageTooLarge { .. } => "message_too_large",
            Self::BodyTooLarge { .. } => "body_too_large",
            Self::BodyIncomplete => "body_incomplete",
            Self::UnknownRoom { .. } => "unknown_room",
            Self::UnknownSession => "unknown_session",
            Self::WrongSession => "wrong_session",
            Self::SessionRequired => "session_required",
            Self::RoomFull { .. } => "room_full",
            Self::TooManySessions { .. } => "too_many_sessions",
            Self::RateLimited { .. } => "rate_limited",
            Self::TooManyFromAddress { .. } => "too_many_from_address",
            Self::ForeignOrigin => "foreign_origin",
            Self::AgentTimeout => "agent_timeout",
            Self::AgentUnavailable(_) => "agent_unavailable",
            Self::AgentBusy(_) => "agent_busy",
            Self::Stopping => "stopping",
            Self::NotAnUpgrade(_) => "not_an_upgrade",
            Self::TextExpected => "text_expected",
            Self::UnknownType(_) => "unknown_type",
            Self::UnknownRoute => "unknown_route",
            Self::WrongMethod => "wrong_method",
            Self::NoRandom(_) => "no_random",
        }
    }

    pub(crate) fn status(&self) -> StatusCode {
        match self {
            Self::InvalidJson(_)
            | Self::InvalidQuery(_)
            | Self::InvalidUser
            | Self::EmptyMessage
            | Self::BodyIncomplete
            | Self::TextExpected
            | Self::UnknownType(_)
            | Self::NotAnUpgrade(_) => StatusCode::BAD_REQUEST,
            Self::WrongSession | Self::SessionRequired | Self::ForeignOrigin => {
                StatusCode::FORBIDDEN
            }
            Self::UnknownRoom { .. } | Self::UnknownSession | Self::UnknownRoute => {
                StatusCode::NOT_FOUND
            }
            Self::WrongMethod => StatusCode::METHOD_NOT_ALLOWED,
            Self::RoomFull { .. } => StatusCode::CONFLICT,
            Self::MessageTooLarge { .. } | Self::BodyTooLarge { .. } => {
                StatusCode::PAYLOAD_TOO_LARGE
            }
            Self::RateLimited { .. } | Self::TooManyFromAddress { .. } | Self::AgentBusy(_) => {
                StatusCode::TOO_MANY_REQUESTS
            }
            Self::AgentUnavailable(_) => StatusCode::BAD_GATEWAY,
            Self::AgentTimeout => StatusCode::GATEWAY_TIMEOUT,
            Self::TooManySessions { .. } | Self::Stopping => StatusCode::SERVICE_UNAVAILABLE,
            Self::NoRandom(_) => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    /// Returns the number of seconds after which a retry may succeed, for the `Retry-After` header.
    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::RateLimited { .. } | Self::AgentBusy(_) => Some(1),
            Self::TooManySessions { .. } => Some(5),
            Self::TooManyFromAddress { reset_s, .. } => Some(*reset_s),
            _ => None,
        }
    }

    /// Builds an HTTP response with the matching status and the body `{"error":{"code","message"}}`.
    pub(crate) fn response(&self) -> Response<Full<Bytes>> {
        let body = json!({ "error": { "code": self.code(), "message": self.to_string() } });
        let mut response = Response::new(Full::from(body.to_string()));
        *response.status_mut() = self.status();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(seconds) = self.retry_after() {
            headers.insert(RETRY_AFTER, seconds.into());
        }
        response
    }

    /// Builds the same error as a WebSocket event.
    pub(crate) fn event(&self) -> String {
        json!({ "type": "error", "code": self.code(), "message": self.to_string() }).to_string()
    }
}

impl axum::response::IntoResponse for Refusal {
    fn into_response(self) -> axum::response::Response {
        self.response().map(axum::body::Body::new)
    }
}
