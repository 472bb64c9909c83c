//! The agent that replies to users. It is either the built-in persona, which needs no model, or an endpoint with the
//! `OpenAI` chat completions API.

mod remote;

use std::time::Duration;

use clap::Args;
use kit::secret::Secret;
use kit::span;

pub(crate) use remote::{InvalidUrl, Question};

use remote::Remote;

/// The agent that replies to users.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Agent")]
pub struct AgentConfig {
    /// Base URL of an OpenAI-compatible API, for example <http://127.0.0.1:11434/v1>. Without it, a built-in
    /// persona replies
    #[arg(long = "agent-url", value_name = "URL", env = "BRIDGE_AGENT_URL")]
    pub url: Option<String>,
    /// Name of the model
    #[arg(
        long = "agent-model",
        value_name = "NAME",
        env = "BRIDGE_AGENT_MODEL",
        default_value = "default"
    )]
    pub model: String,
    /// API key. Set it in the environment, because other users of the machine can see command-line options
    #[arg(long = "agent-key", value_name = "KEY", env = "BRIDGE_AGENT_KEY", hide_env_values = true,
          value_parser = read_secret)]
    pub key: Option<Secret>,
    /// Time limit of a request to the API
    #[arg(long = "agent-timeout", value_name = "TIME", env = "BRIDGE_AGENT_TIMEOUT",
          default_value = "30s", value_parser = span::parse)]
    pub timeout: Duration,
}

#[expect(clippy::unnecessary_wraps, reason = "the shape that clap calls")]
fn read_secret(text: &str) -> Result<Secret, std::convert::Infallible> {
    Ok(Secret::from(text.to_owned()))
}

/// The agent of a running bridge.
#[derive(Debug)]
pub(crate) enum Agent {
    /// The built-in persona, which replies immediately within the process.
    Persona,
    /// An endpoint that replies over HTTP.
    Remote(Remote),
}

impl Agent {
    pub(crate) fn new(config: &AgentConfig) -> Result<Self, InvalidUrl> {
        match &config.url {
            None => Ok(Self::Persona),
            Some(url) => Remote::new(url, config).map(Self::Remote),
        }
    }
}
