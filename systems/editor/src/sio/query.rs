use axum::body::Body;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Response, StatusCode};

/// The transport and session in the query of a Socket.IO request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Query {
    Polling { sid: Option<String> },
    WebSocket { sid: Option<String> },
}

/// Reason why a request cannot be served. The client receives the official server's code and message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Misfit {
    #[error("Transport unknown")]
    Transport,
    #[error("Session ID unknown")]
    Session,
    #[error("Bad handshake method")]
    Method,
    #[error("Bad request")]
    Request,
    #[error("Unsupported protocol version")]
    Version,
}

impl Query {
    /// Parses a query. `upgrades` tells whether the request asks for a WebSocket.
    pub(crate) fn read(query: &str, upgrades: bool) -> Result<Self, Misfit> {
        let value = |name: &str| {
            let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
            pairs
                .filter(|(key, _)| *key == name)
                .map(|(_, value)| value)
                .next()
        };
        if value("EIO") != Some("4") {
            return Err(Misfit::Version);
        }
        // The characters of an id need no percent-decoding.
        let sid = value("sid").map(str::to_owned);
        match value("transport") {
            Some("polling") if !upgrades => Ok(Self::Polling { sid }),
            Some("websocket") if upgrades => Ok(Self::WebSocket { sid }),
            Some("polling" | "websocket") => Err(Misfit::Request),
            _ => Err(Misfit::Transport),
        }
    }
}

impl Misfit {
    fn number(self) -> u8 {
        match self {
            Self::Transport => 0,
            Self::Session => 1,
            Self::Method => 2,
            Self::Request => 3,
            Self::Version => 5,
        }
    }

    pub(crate) fn answer(self) -> Response<Body> {
        let words = format!("{{\"code\":{},\"message\":\"{self}\"}}", self.number());
        let mut response = Response::new(Body::from(words));
        *response.status_mut() = StatusCode::BAD_REQUEST;
        response
            .headers_mut()
            .insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        response
    }
}
