use std::time::Duration;

use kit::secret::Secret;
use reqwest::{Client, Response, StatusCode, Url};
use serde::{Deserialize, Serialize};

use super::AgentConfig;
use crate::house::Conversation;
use crate::refusal::Refusal;

/// Maximum size of a response in bytes. A larger response is invalid and is not read to its end.
const LARGEST_ANSWER: usize = 1 << 20;

/// An endpoint that speaks the `OpenAI` chat completions API.
#[derive(Debug)]
pub(crate) struct Remote {
    client: Client,
    url: Url,
    model: String,
    key: Option<Secret>,
    timeout: Duration,
}

/// Reason why the configured URL cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct InvalidUrl(String);

/// Reason why the agent gave no reply. The text contains neither the API key nor the agent's address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AgentError {
    #[error("the endpoint did not respond in time")]
    Timeout,
    #[error("the endpoint cannot be reached")]
    Unreachable,
    #[error("the endpoint responded with status {0}")]
    Status(StatusCode),
    #[error("the response is not a chat completion")]
    Garbage,
}

impl From<AgentError> for Refusal {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Timeout => Self::AgentTimeout,
            other => Self::AgentUnavailable(other.to_string()),
        }
    }
}

/// The body of a request to the agent. Its format is described at
/// <https://platform.openai.com/docs/api-reference/chat/create>.
#[derive(Debug, Serialize)]
pub(crate) struct Question {
    model: String,
    messages: Vec<Line>,
}

#[derive(Debug, Serialize)]
struct Line {
    role: &'static str,
    content: String,
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Answer,
}

#[derive(Deserialize)]
struct Answer {
    content: String,
}

impl Question {
    /// Combines the new message with the earlier conversation of the same session. The agent sees no other session.
    pub(crate) fn new(
        model: &str,
        user: &str,
        room: &str,
        conversation: &Conversation,
        text: &str,
    ) -> Self {
        let line = |role, content: &str| Line {
            role,
            content: content.to_owned(),
        };
        let setting = format!("You talk with {user} in the {room}. Answer briefly.");
        let mut messages = vec![line("system", &setting)];
        for exchange in conversation.iter() {
            messages.push(line("user", &exchange.said));
            messages.push(line("assistant", &exchange.reply));
        }
        messages.push(line("user", text));
        Self {
            model: model.to_owned(),
            messages,
        }
    }
}

impl Remote {
    pub(super) fn new(url: &str, config: &AgentConfig) -> Result<Self, InvalidUrl> {
        let refused = |error: &dyn std::fmt::Display| InvalidUrl(error.to_string());
        let whole = format!("{}/chat/completions", url.trim_end_matches('/'));
        let url = Url::parse(&whole).map_err(|error| refused(&error))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(refused(&"it must begin with http:// or https://"));
        }
        let client = Client::builder().no_proxy().build();
        Ok(Self {
            client: client.map_err(|error| refused(&error))?,
            url,
            model: config.model.clone(),
            key: config.key.clone(),
            timeout: config.timeout,
        })
    }

    pub(crate) fn model(&self) -> &str {
        &self.model
    }

    pub(crate) async fn ask(&self, question: &Question) -> Result<String, AgentError> {
        let mut request = self.client.post(self.url.clone()).json(question);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.reveal());
        }
        let exchange = async {
            let response = request.send().await.map_err(|_| AgentError::Unreachable)?;
            if !response.status().is_success() {
                return Err(AgentError::Status(response.status()));
            }
            read_answer(response).await
        };
        let answer = tokio::time::timeout(self.timeout, exchange).await;
        answer.map_err(|_| AgentError::Timeout)?
    }
}

async fn read_answer(mut response: Response) -> Result<String, AgentError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|_| AgentError::Unreachable)?
    {
        if bytes.len() + chunk.len() > LARGEST_ANSWER {
            return Err(AgentError::Garbage);
        }
        bytes.extend_from_slice(&chunk);
    }
    let completion: Completion = serde_json::from_slice(&bytes).map_err(|_| AgentError::Garbage)?;
    let choice = completion.choices.into_iter().next();
    Ok(choice.ok_or(AgentError::Garbage)?.message.content)
}
