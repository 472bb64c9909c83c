//! Passes what happens in the run to the live page, on the thread of its server.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use engine::{LevelDone, LevelStarted, Notice, Stop};
use record::Run;
use report::{LiveEnd, LiveLevel, LiveRun, LiveSecond};
use tokio::sync::{mpsc, watch};

use crate::progress::{shown, warning_of};
use crate::screen;

/// A page that is open has asked for an update within this number of changes. There are a few each second.
const RECENT: u64 = 50;

/// What the thread of the run leaves for the thread of the page.
pub(super) enum Event {
    /// Something happened in the run.
    Notice(Notice),
    /// The run is over.
    Ended(LiveEnd),
    /// Everything is saved, with the path of the report.
    Saved(Option<String>),
}

/// The run as its page shows it, and the number of its latest change.
#[derive(Clone)]
pub(super) struct Followed {
    run: Arc<Mutex<LiveRun>>,
    changes: watch::Sender<u64>,
    stop: Stop,
    /// The latest change that a page has received. 0 if none has asked.
    sent: Arc<AtomicU64>,
    /// Told when a page has received the last update, or if no page is open.
    done: Sender<()>,
}

impl Followed {
    pub(super) fn new(stop: &Stop, done: Sender<()>) -> Self {
        Self {
            run: Arc::default(),
            changes: watch::channel(0).0,
            stop: stop.clone(),
            sent: Arc::default(),
            done,
        }
    }

    /// The run. Only the thread of the server locks it, so nobody waits.
    pub(super) fn run(&self) -> MutexGuard<'_, LiveRun> {
        self.run.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Waits for a change after this one.
    pub(super) async fn changed_after(&self, after: u64) {
        let mut changes = self.changes.subscribe();
        let _ = changes.wait_for(|&change| change != after).await; // the sender is in `self`
    }

    /// Returns the update after this change.
    pub(super) fn update(&self, after: u64) -> String {
        let run = self.run();
        self.sent.store(run.change(), Ordering::Relaxed);
        if run.is_over() {
            let _ = self.done.send(()); // the run may wait no longer
        }
        run.update(after)
    }

    fn is_watched(&self) -> bool {
        let sent = self.sent.load(Ordering::Relaxed);
        sent > 0 && self.run().change() - sent < RECENT
    }

    /// Takes events until the run has dropped its end of the channel.
    pub(super) async fn follow(self, mut events: mpsc::Receiver<Event>) {
        while let Some(event) = events.recv().await {
            self.apply(event);
        }
    }

    /// Takes note of a request to stop.
    pub(super) fn look_at_stop(&self) {
        if self.stop.asked() > 0 {
            self.run().stop();
        }
        self.tell();
    }

    fn apply(&self, event: Event) {
        match event {
            Event::Notice(notice) => apply(notice, &mut self.run()),
            Event::Ended(end) => self.run().end(&end),
            Event::Saved(report) => {
                self.run().close(report);
                if !self.is_watched() {
                    let _ = self.done.send(()); // the run may wait no longer
                }
            }
        }
        self.look_at_stop();
    }

    fn tell(&self) {
        self.changes.send_replace(self.run().change());
    }
}

fn apply(notice: Notice, run: &mut LiveRun) {
    match notice {
        Notice::Started(record) => run.begin(*record),
        Notice::TooFewSamples(few) => run.warn(warning_of(&few)),
        Notice::SettingUp => run.set_up(),
        Notice::LevelStarted(started) => run.start_level(&plan(*started)),
        Notice::Live(live) => run.show(shown(&live)),
        Notice::Second(second) => {
            let figures = LiveSecond {
                window: second.window,
                busy_percent: second.busiest_worker_percent,
                target_cpu_percent: second.target_cpu_percent,
            };
            run.add(second.level, figures);
        }
        Notice::Warning(note) => {
            let text = report::note_line(&note);
            run.warn(screen::without_hidden(&text).into_owned());
        }
        Notice::LevelDone(done) => {
            let LevelDone { level, thresholds } = hidden(*done);
            run.end_level(level, thresholds);
        }
        Notice::Log(..) => {} // for the terminal
    }
}

fn plan(started: LevelStarted) -> LiveLevel {
    LiveLevel {
        load: started.load,
        started_s: started.started_s,
        measured_s: started.measured_s,
    }
}

/// Hides the values of environment variables, as the record does when the run is over.
fn hidden(done: LevelDone) -> LevelDone {
    let mut run = Run {
        levels: vec![done.level],
        thresholds: done.thresholds,
        ..Run::default()
    };
    if let Some(values) = screen::hidden() {
        run.hide(values);
    }
    LevelDone {
        level: run.levels.pop().unwrap_or_default(),
        thresholds: run.thresholds,
    }
}
