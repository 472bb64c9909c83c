//! Sends the seconds of a run to a server.

mod link;

use std::fmt;
use std::sync::mpsc::{SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use engine::{Clock, Second};
use format::plural;
use model::{Nanos, without_credentials};
use reqwest::header::HeaderMap;
use url::Url;

use self::link::{Ending, Link};
use super::local_server::NICE;
use super::spec::Output;

/// Number of seconds that wait while the server does not respond. Later ones are not sent.
const WAITING: usize = 3600;
/// Time after the end of the run in which the rest must be sent.
const REST: Nanos = Nanos::from_secs(5);

/// A protocol by which a server takes metrics.
pub(super) trait Protocol: fmt::Debug + Send {
    /// The headers of every request.
    fn headers(&self) -> HeaderMap;
    /// Encodes seconds that follow those of earlier requests.
    fn body(&mut self, seconds: &[TimedSecond]) -> anyhow::Result<Vec<u8>>;
    /// Encodes that no seconds will follow. `None` if the protocol does not require that.
    fn last_body(&mut self) -> anyhow::Result<Option<Vec<u8>>>;
}

/// A second, and when it ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimedSecond {
    pub(super) second: Second,
    pub(super) end: SystemTime,
}

/// Sends seconds to a server from a thread of its own.
#[derive(Debug)]
pub(super) struct Pusher {
    seconds: Option<SyncSender<TimedSecond>>,
    thread: Option<JoinHandle<()>>,
    ending: Ending,
    run_start: SystemTime,
    /// Start of the running level.
    level_start: SystemTime,
    /// Number of seconds for which there was no room.
    dropped: u64,
    /// The output as text, for messages.
    name: String,
}

impl Pusher {
    /// Starts the thread that sends seconds to `url`.
    pub(super) fn open(
        output: &Output,
        clock: Clock,
        url: Url,
        protocol: Box<dyn Protocol>,
    ) -> anyhow::Result<Self> {
        let name = without_credentials(&output.to_string()).into_owned();
        let (seconds, queue) = sync_channel(WAITING);
        let ending = Ending::new(clock);
        let mut link = Link::open(name.clone(), url, protocol.headers(), ending.clone())?;
        let thread = thread::Builder::new()
            .name("push".to_owned())
            .spawn(move || {
                let _ = rustix::process::setpriority_process(None, NICE); // for this thread, and only a courtesy
                link.run(&queue, protocol);
            })?;
        Ok(Self {
            seconds: Some(seconds),
            thread: Some(thread),
            ending,
            run_start: clock.wall_start(),
            level_start: clock.wall_start(),
            dropped: 0,
            name,
        })
    }

    /// A level starts, this long after the start of the run.
    pub(super) fn start_level(&mut self, started_s: f64) {
        self.level_start = self.run_start + Duration::from_secs_f64(started_s.max(0.0));
    }

    /// Queues a second. Never waits.
    pub(super) fn push(&mut self, second: &Second) {
        let second = TimedSecond {
            second: *second,
            end: self.end_of(second),
        };
        if let Some(seconds) = &self.seconds
            && matches!(seconds.try_send(second), Err(TrySendError::Full(_)))
        {
            self.dropped += 1;
        }
    }

    /// The planned end of a second. Only the last second of a level can be shorter, and it still ends before the first
    /// second of the next level.
    fn end_of(&self, second: &Second) -> SystemTime {
        self.level_start + Duration::from_secs_f64(second.window.start_s.max(0.0) + 1.0)
    }

    /// Ends the output: the thread sends the rest. Does not wait for it, so that several outputs send at the same time.
    pub(super) fn end(&mut self) {
        self.ending.begin(REST);
        self.seconds = None;
    }
}

impl Drop for Pusher {
    /// Waits until the rest is sent.
    fn drop(&mut self) {
        self.end();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join(); // a panic was reported when it happened
        }
        if self.dropped > 0 {
            let (name, seconds) = (&self.name, plural(self.dropped, "second"));
            link::complain(
                name,
                &format!(
                    "{seconds} were not sent, because the server did not respond for too long"
                ),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use record::Window;

    use super::*;

    #[test]
    fn seconds_end_as_planned_and_in_order_across_levels() {
        let clock = Clock::start();
        let mut pusher = Pusher {
            seconds: None,
            thread: None,
            ending: Ending::new(clock),
            run_start: clock.wall_start(),
            level_start: clock.wall_start(),
            dropped: 0,
            name: String::new(),
        };
        let mut end = |started_s: Option<f64>, start_s| {
            if let Some(start) = started_s {
                pusher.start_level(start);
            }
            let second = Second {
                level: 1,
                window: Window {
                    start_s,
                    ..Window::default()
                },
                busiest_worker_percent: None,
                target_cpu_percent: None,
            };
            let since = pusher.end_of(&second).duration_since(clock.wall_start());
            since.unwrap().as_millis()
        };
        assert_eq!(end(Some(0.5), 0.0), 1500);
        assert_eq!(end(None, 1.0), 2500, "however late it was reported");
        // The level was cut short after 1.2 s. The next one begins.
        assert_eq!(end(Some(1.7), 0.0), 2700);
    }
}
