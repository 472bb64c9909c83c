use std::io;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use serde::de::DeserializeOwned;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;

use crate::engine::recogniser::{EngineError, Job, Recognised, StartError, Word};

/// The program of the child process.
const SCRIPT: &str = include_str!("../pocketsphinx.py");
/// Time limit for loading the model.
const LOADED_WITHIN: Duration = Duration::from_mins(1);
/// Milliseconds of a frame of the recogniser.
const FRAME_MS: u64 = 10;

/// How a child process is started.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) python: PathBuf,
    pub(super) model: PathBuf,
}

/// Work for a child process.
#[derive(Debug)]
pub(super) enum Request {
    /// Add samples to the utterance. The result is the words that are new.
    Add(Vec<i16>),
    /// Add samples and end the utterance. The result is its text.
    Finish(Vec<i16>),
    /// Forget the utterance.
    Drop,
}

type Reply = oneshot::Sender<Result<Recognised, EngineError>>;

/// A child process, fed by a task of its own. The requests that wait are limited by the chunks that a connection may
/// have in progress.
#[derive(Debug)]
pub(super) struct Child {
    requests: mpsc::UnboundedSender<(Request, Option<Reply>)>,
}

impl Child {
    /// Starts a child process and waits until it has loaded its model.
    pub(super) async fn start(program: Program) -> Result<Self, StartError> {
        let pipes = Pipes::start(&program).await;
        let pipes = pipes.map_err(|error| {
            let python = program.python.display();
            StartError::Recogniser(format!(
                "PocketSphinx does not start with `{python}`: {error}. Install the packages `python3-pocketsphinx` and \
                 `pocketsphinx-en-us`, or set --python and --model"
            ))
        })?;
        let (requests, waiting) = mpsc::unbounded_channel();
        tokio::spawn(feed(program, pipes, waiting));
        Ok(Self { requests })
    }

    pub(super) fn ask(&self, request: Request) -> Job {
        let (reply, result) = oneshot::channel();
        // A failure shows when the result is awaited.
        let _ = self.requests.send((request, Some(reply)));
        Box::pin(async move { result.await.unwrap_or(Err(EngineError::Ended)) })
    }

    /// Forgets the utterance in progress.
    pub(super) fn reset(&self) {
        let _ = self.requests.send((Request::Drop, None));
    }
}

/// The standard streams of a running child process. It is killed at the end.
#[derive(Debug)]
struct Pipes {
    _process: tokio::process::Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Pipes {
    async fn start(program: &Program) -> io::Result<Self> {
        let mut process = Command::new(&program.python)
            .args(["-c", SCRIPT])
            .arg(&program.model)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let gone = || io::Error::other("it has no standard streams");
        let input = process.stdin.take().ok_or_else(gone)?;
        let output = process.stdout.take().ok_or_else(gone)?;
        let mut pipes = Self {
            _process: process,
            input,
            output: BufReader::new(output).lines(),
        };
        let loaded = timeout(LOADED_WITHIN, pipes.read::<Vec<String>>()).await;
        loaded.map_err(|_| io::Error::other("the model was not loaded in time"))??;
        Ok(pipes)
    }

    async fn write(&mut self, kind: u8, samples: &[i16]) -> io::Result<()> {
        let length = u32::try_from(samples.len() * 2).map_err(io::Error::other)?;
        let mut bytes = vec![kind];
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
        self.input.write_all(&bytes).await?;
        self.input.flush().await
    }

    async fn read<T: DeserializeOwned>(&mut self) -> io::Result<T> {
        let line = self.output.next_line().await?;
        let line = line.ok_or_else(|| io::Error::other("it ended"))?;
        serde_json::from_str(&line).map_err(io::Error::other)
    }
}

/// Performs the requests in order. A child process that ended is replaced, and its utterance is lost.
async fn feed(
    program: Program,
    pipes: Pipes,
    mut requests: mpsc::UnboundedReceiver<(Request, Option<Reply>)>,
) {
    let mut running = Some(pipes);
    // Number of words of the utterance that were already reported.
    let mut reported = 0;
    while let Some((request, reply)) = requests.recv().await {
        if running.is_none() {
            let restarted = Pipes::start(&program).await;
            running = restarted
                .inspect_err(|error| tracing::error!(%error, "PocketSphinx does not restart"))
                .ok();
        }
        let result = match &mut running {
            Some(pipes) => perform(pipes, request, &mut reported).await,
            None => Err(io::Error::other("it does not run")),
        };
        let result = result.map_err(|error| {
            tracing::warn!(%error, "a recogniser failed");
            (running, reported) = (None, 0);
            EngineError::Ended
        });
        if let Some(reply) = reply {
            // The session may have ended.
            let _ = reply.send(result);
        }
    }
}

async fn perform(
    pipes: &mut Pipes,
    request: Request,
    reported: &mut usize,
) -> io::Result<Recognised> {
    match request {
        Request::Add(samples) => {
            pipes.write(b'a', &samples).await?;
            let words: Vec<String> = pipes.read().await?;
            // The last word may still change.
            let stable = words.len().saturating_sub(1);
            let text = words.get(*reported..stable).unwrap_or_default().join(" ");
            *reported = stable.max(*reported);
            Ok(Recognised {
                text,
                words: Vec::new(),
            })
        }
        Request::Finish(samples) => {
            *reported = 0;
            pipes.write(b'f', &samples).await?;
            let words: Vec<(String, u64, u64)> = pipes.read().await?;
            let words = words.into_iter().map(|(text, start, end)| Word {
                text,
                start_ms: start * FRAME_MS,
                end_ms: end * FRAME_MS,
            });
            let words: Vec<Word> = words.collect();
            let text: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            Ok(Recognised {
                text: text.join(" "),
                words,
            })
        }
        Request::Drop => {
            *reported = 0;
            pipes.write(b'd', &[]).await?;
            let _: Vec<String> = pipes.read().await?;
            Ok(Recognised::default())
        }
    }
}
