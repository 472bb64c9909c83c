use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use kit::secret::Secret;
use kit::span;

/// The engines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineKind {
    /// Random English words after a fixed latency
    #[default]
    #[value(alias = "mock")]
    Simulated,
    /// `PocketSphinx` with a model of the operating system's packages
    Pocketsphinx,
    /// An endpoint with the `OpenAI` transcription API
    Remote,
}

/// The engine that turns speech into text.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Engine")]
pub struct EngineConfig {
    /// Engine that turns speech into text
    #[arg(
        long,
        value_name = "NAME",
        env = "ASR_ENGINE",
        default_value = "simulated"
    )]
    pub engine: EngineKind,
    /// Simulated engine: latency of a chunk or recording, in milliseconds
    #[arg(long, value_name = "MS", env = "ASR_LATENCY_MS", default_value_t = 50)]
    pub latency_ms: u32,
    /// Simulated engine: maximum number of concurrent recognitions, over all sessions; 0 means no limit
    #[arg(long, value_name = "N", env = "ASR_CONCURRENCY", default_value_t = 0,
          value_parser = clap::value_parser!(u32).range(..=100_000))]
    pub concurrency: u32,
    /// Injected fault: recognise the chunks of a session one after another, as the service of the field report did.
    /// With chunks of 20 ms and a latency of 50 ms, a session is recognised at 0.4 times
    /// real time
    #[arg(long, env = "ASR_SERIAL")]
    pub serial: bool,
    /// Simulated engine: bytes of audio per word; each chunk with speech has at least one word
    #[arg(long, value_name = "N", env = "ASR_BYTES_PER_WORD", default_value_t = 12_800,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub bytes_per_word: u32,
    /// `PocketSphinx`: number of recognisers. Each is a process and serves one session; further sessions are refused
    /// [default: two per processor]
    #[arg(long, value_name = "N", env = "ASR_RECOGNISERS",
          value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub recognisers: Option<u32>,
    /// `PocketSphinx`: Python with the module `pocketsphinx` (Debian: `python3-pocketsphinx`)
    #[arg(
        long,
        value_name = "FILE",
        env = "ASR_PYTHON",
        default_value = "/usr/bin/python3"
    )]
    pub python: PathBuf,
    /// `PocketSphinx`: folder of the model (Debian: `pocketsphinx-en-us`)
    #[arg(
        long,
        value_name = "DIR",
        env = "ASR_MODEL",
        default_value = "/usr/share/pocketsphinx/model/en-us"
    )]
    pub model: PathBuf,
    /// Remote engine: base URL of the API, for example <http://127.0.0.1:8080/v1>
    #[arg(long, value_name = "URL", env = "ASR_REMOTE_URL")]
    pub remote_url: Option<String>,
    /// Remote engine: name of the model
    #[arg(
        long,
        value_name = "NAME",
        env = "ASR_REMOTE_MODEL",
        default_value = "whisper-1"
    )]
    pub remote_model: String,
    /// Remote engine: API key. Set it in the environment, because other users of the machine can see command-line
    /// options
    #[arg(long, value_name = "KEY", env = "ASR_REMOTE_KEY", hide_env_values = true, value_parser = read_secret)]
    pub remote_key: Option<Secret>,
    /// Remote engine: time limit of a request
    #[arg(long, value_name = "TIME", env = "ASR_REMOTE_TIMEOUT", default_value = "30s", value_parser = span::parse)]
    pub remote_timeout: Duration,
    /// Remote engine: maximum number of concurrent requests; further utterances wait
    #[arg(long, value_name = "N", env = "ASR_REMOTE_REQUESTS", default_value_t = 16,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub remote_requests: u32,
}

#[expect(clippy::unnecessary_wraps, reason = "the shape that clap calls")]
fn read_secret(text: &str) -> Result<Secret, std::convert::Infallible> {
    Ok(Secret::from(text.to_owned()))
}
