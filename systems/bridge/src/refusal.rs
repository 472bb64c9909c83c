use axum::body::Bytes;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::http::{HeaderValue, Response, StatusCode};
use http_body_util::Full;
use serde_json::json;

/// Why something was refused. The text is for people, [`Refusal::code`] for programs.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("the body is not the expected JSON: {0}")]
    InvalidJson(String),
    #[error("the query is not understood: {0}")]
    InvalidQuery(String),
    #[error("a user's name has 1 to 64 bytes and no control characters")]
    InvalidUser,
    #[error("there is nothing in the message")]
    EmptyMessage,
    #[error("a message has at most {limit} bytes")]
    MessageTooLarge { limit: u32 },
    #[error("a body has at most {limit} bytes")]
    BodyTooLarge { limit: u32 },
    #[error("the body ended before it was complete")]
    BodyIncomplete,
    #[error("there is no room `{room}`; the rooms are {rooms}")]
    UnknownRoom { room: String, rooms: String },
    #[error("there is no such session")]
    UnknownSession,
    #[error("this session is not the one of this user")]
    WrongSession,
    #[error("this user has a session already: name it to resume it")]
    SessionRequired,
    #[error("the room `{room}` is full: {limit} users are in it")]
    RoomFull { room: String, limit: u32 },
    #[error("there are {limit} sessions already")]
    TooManySessions { limit: u32 },
    #[error("a session may send {limit} messages per second")]
    RateLimited { limit: u32 },
    #[error("an address may make {limit} sessions in {window_s} s")]
    TooManyFromAddress {
        limit: u32,
        window_s: u64,
        reset_s: u64,
    },
    #[error("a page of this origin may not talk to the bridge: see --allow-origin")]
    ForeignOrigin,
    #[error("the agent has not answered in time")]
    AgentTimeout,
    #[error("the agent cannot answer: {0}")]
    AgentUnavailable(String),
    #[error(
        "the agent has not answered {0} earlier messages yet; this one was heard, not answered"
    )]
    AgentBusy(usize),
    #[error("the bridge stops")]
    Stopping,
    #[error("a WebSocket upgrade was expected: {0}")]
    NotAnUpgrade(String),
    #[error("text was expected")]
    TextExpected,
    #[error("there is no message of type `{0}`; say, move and end exist")]
    UnknownType(String),
    #[error("there is no such route")]
    UnknownRoute,
    #[error("this route has no such method")]
    WrongMethod,
    #[error("no random numbers: {0}")]
    NoRandom(String),
}

impl Refusal {
    /// A word that stays the same whatever the text says.
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

    /// Seconds after which it is worth trying again.
    fn retry_after(&self) -> Option<u64> {
        match self {
            Self::RateLimited { .. } | Self::AgentBusy(_) => Some(1),
            Self::TooManySessions { .. } => Some(5),
            Self::TooManyFromAddress { reset_s, .. } => Some(*reset_s),
            _ => None,
        }
    }

    /// `{"error":{"code","message"}}` with the status that belongs to it.
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

    /// The same as an event on a WebSocket.
    pub(crate) fn event(&self) -> String {
        json!({ "type": "error", "code": self.code(), "message": self.to_string() }).to_string()
    }
}

impl axum::response::IntoResponse for Refusal {
    fn into_response(self) -> axum::response::Response {
        self.response().map(axum::body::Body::new)
    }
}
