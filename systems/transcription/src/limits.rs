//! The parts of the configuration that the sessions use.

use clap::{Args, ValueEnum};

/// Limits on clients and sessions.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Limits")]
pub struct Limits {
    /// Maximum number of sessions; a recording that is posted counts as one while it is recognised
    #[arg(long, value_name = "N", env = "ASR_MAX_SESSIONS", default_value_t = 1000,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub max_sessions: u32,
    /// Maximum size of a chunk of audio in bytes, after decoding
    #[arg(long, value_name = "BYTES", env = "ASR_MAX_CHUNK_SIZE_BYTES", default_value_t = 65_536,
          value_parser = clap::value_parser!(u32).range(2..=16_777_216))]
    pub max_chunk: u32,
    /// Maximum rate of a session's audio, in bytes per second; 0 means no limit
    #[arg(
        long,
        value_name = "BYTES",
        env = "ASR_MAX_AUDIO_RATE_BYTES_PER_SEC",
        default_value_t = 0
    )]
    pub max_audio_rate: u32,
    /// Maximum size of a WebSocket message in bytes; a larger message ends the connection with close code 1009
    #[arg(long, value_name = "BYTES", env = "ASR_MAX_MESSAGE_BYTES", default_value_t = 16 << 20,
          value_parser = clap::value_parser!(u32).range(1024..=1 << 30))]
    pub max_message: u32,
    /// Maximum size of a posted recording in bytes
    #[arg(long, value_name = "BYTES", env = "ASR_MAX_BODY_BYTES", default_value_t = 16 << 20,
          value_parser = clap::value_parser!(u32).range(1024..=1 << 30))]
    pub max_body: u32,
    /// Maximum number of chunks of a session that are being recognised. At this number, the service stops reading
    #[arg(long, value_name = "N", env = "ASR_MAX_PENDING", default_value_t = 256,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub max_pending: u32,
}

/// Clients that do not read their replies.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Slow clients")]
pub struct SlowClients {
    /// Maximum number of replies queued for a client. If the queue is full, partial results are dropped
    #[arg(long, value_name = "N", env = "ASR_MAX_SEND_QUEUE_SIZE", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub send_queue: u32,
    /// Time after which a queued partial result is dropped, in seconds
    #[arg(long, value_name = "SECONDS", env = "ASR_SEND_TIMEOUT_SECONDS", default_value_t = 5.0,
          value_parser = positive)]
    pub send_timeout: f64,
    /// Number of consecutive replies that find the queue full, after which the client is disconnected with close code
    /// 1008
    #[arg(long, value_name = "N", env = "ASR_SLOW_CLIENT_THRESHOLD", default_value_t = 10,
          value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub slow_threshold: u32,
    /// Size of the kernel's send buffer of a connection in bytes. The larger the buffer, the later a slow client is
    /// noticed
    #[arg(long, value_name = "BYTES", env = "ASR_SEND_BUFFER_BYTES", default_value_t = 16_384,
          value_parser = clap::value_parser!(u32).range(2048..=16_777_216))]
    pub send_buffer: u32,
}

/// Sessions and their connections.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Sessions")]
pub struct Times {
    /// Time without audio after which a session that has had speech is closed, in seconds
    #[arg(long, value_name = "SECONDS", env = "ASR_SESSION_IDLE_TIMEOUT_SECONDS", default_value_t = 300.0,
          value_parser = positive)]
    pub idle_timeout: f64,
    /// Time without audio after which a session that has had no speech is closed, in seconds
    #[arg(long, value_name = "SECONDS", env = "ASR_SESSION_START_TIMEOUT_SECONDS", default_value_t = 30.0,
          value_parser = positive)]
    pub start_timeout: f64,
    /// Interval between checks for idle sessions, in seconds
    #[arg(long, value_name = "SECONDS", env = "ASR_SESSION_CLEANUP_INTERVAL_SECONDS", default_value_t = 30.0,
          value_parser = positive)]
    pub cleanup_interval: f64,
    /// Time for which an ended session can be recovered, in seconds
    #[arg(long, value_name = "SECONDS", env = "ASR_RECOVERY_SECONDS", default_value_t = 60.0,
          value_parser = positive)]
    pub recovery: f64,
    /// Interval between WebSocket pings, in seconds; a client that stays silent for one interval is disconnected
    #[arg(long, value_name = "SECONDS", env = "ASR_PING_SECONDS", default_value_t = 20.0,
          value_parser = positive)]
    pub ping: f64,
    /// Name of this worker [default: 8 random hexadecimal digits]
    #[arg(long, value_name = "NAME", env = "WORKER_ID")]
    pub worker_id: Option<String>,
}

/// The detectors of voice activity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum VadKind {
    /// The detector of WebRTC, as in the service of the field report: 3 µs per frame of 20 ms. Steady noise counts as
    /// speech
    #[default]
    Webrtc,
    /// A neural network that tells noise from speech: 15 µs per frame of 16 ms
    Neural,
}

/// Voice activity and the ends of utterances.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Voice activity")]
pub struct VoiceConfig {
    /// Sample rate in Hz of audio that does not state its own
    #[arg(long, value_name = "HZ", env = "ASR_SAMPLE_RATE", default_value_t = 16_000,
          value_parser = clap::value_parser!(u32).range(8000..=192_000))]
    pub sample_rate: u32,
    /// Detector of voice activity
    #[arg(long, value_name = "NAME", env = "ASR_VAD", default_value = "webrtc")]
    pub vad: VadKind,
    /// Aggressiveness of the voice activity detector: with higher values, fewer frames count as speech
    #[arg(long, value_name = "0-3", env = "ASR_VAD_AGGRESSIVENESS", default_value_t = 2,
          value_parser = clap::value_parser!(u8).range(0..=3))]
    pub vad_aggressiveness: u8,
    /// Pause that ends an utterance, in milliseconds
    #[arg(long, value_name = "MS", env = "ASR_ENDPOINTING_MS", default_value_t = 300,
          value_parser = clap::value_parser!(u32).range(100..=5000))]
    pub endpointing_ms: u32,
    /// Maximum length of an utterance in milliseconds; longer speech is divided
    #[arg(long, value_name = "MS", env = "ASR_MAX_UTTERANCE_MS", default_value_t = 20_000,
          value_parser = clap::value_parser!(u32).range(1000..=60_000))]
    pub max_utterance_ms: u32,
}

/// Reads a number of seconds.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    let seconds: f64 = text
        .parse()
        .map_err(|_| format!("`{text}` is not a number"))?;
    if (0.001..=1e6).contains(&seconds) {
        Ok(seconds)
    } else {
        Err("must be between 0.001 and 1000000 seconds".to_owned())
    }
}
