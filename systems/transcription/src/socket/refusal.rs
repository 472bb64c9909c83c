/// Reason why a message was refused. The texts and codes are part of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("{0}")]
    SessionLimit(String),
    #[error("Invalid JSON")]
    InvalidJson,
    #[error("Invalid base64 audio data")]
    InvalidAudio,
    #[error("Unsupported audio: {0}")]
    UnsupportedAudio(String),
    #[error("Unknown message type: {0}")]
    UnknownType(String),
    #[error("Session is closing")]
    SessionClosing,
    #[error("Chunk too large: {size} > {limit}")]
    ChunkTooLarge { size: usize, limit: u32 },
    #[error("Audio rate too high: the limit is {0} bytes per second")]
    RateLimited(u32),
    #[error("Session not found")]
    SessionNotFound,
    #[error("Recognition failed: {0}")]
    RecognitionFailed(String),
}

impl Refusal {
    pub(super) fn code(&self) -> &'static str {
        match self {
            Self::SessionLimit(_) => "SESSION_LIMIT",
            Self::InvalidJson => "INVALID_JSON",
            Self::InvalidAudio => "INVALID_AUDIO",
            Self::UnsupportedAudio(_) => "UNSUPPORTED_AUDIO",
            Self::UnknownType(_) => "UNKNOWN_TYPE",
            Self::SessionClosing => "SESSION_CLOSING",
            Self::ChunkTooLarge { .. } => "CHUNK_TOO_LARGE",
            Self::RateLimited(_) => "RATE_LIMITED",
            Self::SessionNotFound => "SESSION_NOT_FOUND",
            Self::RecognitionFailed(_) => "RECOGNITION_FAILED",
        }
    }
}
