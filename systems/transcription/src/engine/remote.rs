use std::sync::Arc;
use std::time::Duration;

use kit::secret::Secret;
use reqwest::multipart::{Form, Part};
use reqwest::{Client, Response, Url};
use serde::Deserialize;
use tokio::sync::Semaphore;
use tokio::time::{Instant, timeout};

use super::config::EngineConfig;
use super::recogniser::{Engine, EngineError, Job, Recognised, Recogniser, StartError, nothing};
use crate::audio::RATE;

/// Maximum size of a response in bytes.
const LARGEST_ANSWER: usize = 1 << 20;

/// An endpoint with the `OpenAI` transcription API. It gets whole utterances, so there is no partial text.
/// <https://platform.openai.com/docs/api-reference/audio/createTranscription> describes the API.
#[derive(Clone, Debug)]
pub(super) struct Remote(Arc<Endpoint>);

#[derive(Debug)]
struct Endpoint {
    client: Client,
    url: Url,
    model: String,
    key: Option<Secret>,
    timeout: Duration,
    places: Semaphore,
}

#[derive(Deserialize)]
struct Transcription {
    text: String,
}

impl Remote {
    pub(super) fn new(config: &EngineConfig) -> Result<Self, StartError> {
        let url = config.remote_url.as_deref();
        let url = url.ok_or_else(|| StartError::Url("it is missing".to_owned()))?;
        let whole = format!("{}/audio/transcriptions", url.trim_end_matches('/'));
        let url = Url::parse(&whole).map_err(|error| StartError::Url(error.to_string()))?;
        if !matches!(url.scheme(), "http" | "https") {
            let scheme = "it must begin with http:// or https://";
            return Err(StartError::Url(scheme.to_owned()));
        }
        let client = Client::builder().no_proxy().build();
        Ok(Self(Arc::new(Endpoint {
            client: client.map_err(|error| StartError::Url(error.to_string()))?,
            url,
            model: config.remote_model.clone(),
            key: config.remote_key.clone(),
            timeout: config.remote_timeout,
            places: Semaphore::new(config.remote_requests as usize),
        })))
    }

    /// Starts a request. It runs as a task, because the caller may not poll the job until earlier ones are done.
    fn ask(&self, samples: Vec<i16>) -> Job {
        let endpoint = self.0.clone();
        let request = tokio::spawn(async move { endpoint.ask(&samples).await });
        Box::pin(async move { request.await.unwrap_or(Err(EngineError::Ended)) })
    }
}

impl Engine for Remote {
    fn stream(&self) -> Result<Box<dyn Recogniser>, EngineError> {
        Ok(Box::new(Stream {
            remote: self.clone(),
            samples: Vec::new(),
        }))
    }

    fn whole(&self, samples: Vec<i16>, _: Instant) -> Job {
        self.ask(samples)
    }
}

#[derive(Debug)]
struct Stream {
    remote: Remote,
    samples: Vec<i16>,
}

impl Recogniser for Stream {
    fn feed(&mut self, frame: &[i16], _: bool) {
        self.samples.extend_from_slice(frame);
    }

    fn partial(&mut self, _: Instant) -> Job {
        nothing()
    }

    fn finish(&mut self, _: Instant) -> Job {
        let samples = std::mem::take(&mut self.samples);
        if samples.is_empty() {
            return nothing();
        }
        self.remote.ask(samples)
    }
}

impl Endpoint {
    async fn ask(&self, samples: &[i16]) -> Result<Recognised, EngineError> {
        let place = self.places.acquire().await;
        let _place = place.map_err(|_| EngineError::Ended)?;
        let exchange = async {
            let file = Part::bytes(wav(samples)).file_name("utterance.wav");
            let file = file
                .mime_str("audio/wav")
                .map_err(|_| EngineError::Garbage)?;
            let form = Form::new()
                .part("file", file)
                .text("model", self.model.clone())
                .text("response_format", "json");
            let mut request = self.client.post(self.url.clone()).multipart(form);
            if let Some(key) = &self.key {
                request = request.bearer_auth(key.reveal());
            }
            let response = request.send().await.map_err(|_| EngineError::Unreachable)?;
            if !response.status().is_success() {
                return Err(EngineError::Status(response.status().as_u16()));
            }
            read_answer(response).await
        };
        let answer = timeout(self.timeout, exchange).await;
        answer.map_err(|_| EngineError::Timeout)?
    }
}

async fn read_answer(mut response: Response) -> Result<Recognised, EngineError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response
        .chunk()
        .await
        .map_err(|_| EngineError::Unreachable)?
    {
        if bytes.len() + chunk.len() > LARGEST_ANSWER {
            return Err(EngineError::Garbage);
        }
        bytes.extend_from_slice(&chunk);
    }
    let answer: Transcription = serde_json::from_slice(&bytes).map_err(|_| EngineError::Garbage)?;
    Ok(Recognised {
        text: answer.text.trim().to_owned(),
        words: Vec::new(),
    })
}

/// A WAV file of 16-bit mono samples.
fn wav(samples: &[i16]) -> Vec<u8> {
    const HEADER: u32 = 36;
    let length = u32::try_from(samples.len() * 2).unwrap_or(u32::MAX - HEADER);
    let mut file = Vec::with_capacity(44 + samples.len() * 2);
    file.extend_from_slice(b"RIFF");
    file.extend_from_slice(&(length + HEADER).to_le_bytes());
    file.extend_from_slice(b"WAVEfmt \x10\0\0\0\x01\0\x01\0");
    file.extend_from_slice(&RATE.to_le_bytes());
    file.extend_from_slice(&(RATE * 2).to_le_bytes());
    file.extend_from_slice(b"\x02\0\x10\0data");
    file.extend_from_slice(&length.to_le_bytes());
    for sample in samples {
        file.extend_from_slice(&sample.to_le_bytes());
    }
    file
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    #[test]
    fn an_independent_reader_reads_the_file() {
        let samples: Vec<i16> = (-50..50).collect();
        let mut reader = hound::WavReader::new(Cursor::new(wav(&samples))).unwrap();
        assert_eq!(reader.spec().sample_rate, 16_000);
        assert_eq!(reader.spec().channels, 1);
        let read: Result<Vec<i16>, _> = reader.samples().collect();
        assert_eq!(read.unwrap(), samples);
    }
}
