use std::io::{self, IsTerminal as _, Write as _};

use engine::{Live, Notice};
use model::LevelPhase;
use record::Forecast;
use script::host::LogLevel;

use crate::screen::{erase_live_line, say, width_of_stderr, without_hidden};

/// Shows the progress of a run on stderr: on a terminal one live line per level, otherwise a line every ten seconds.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "independent options and screen states, in any combination"
)]
pub(crate) struct Progress {
    quiet: bool,
    terminal: bool,
    line_open: bool,
    said_at_s: f64,
    /// Whether the last line reported operations that were still in flight after the measured time.
    waits: bool,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        Self {
            quiet,
            terminal: io::stderr().is_terminal(),
            line_open: false,
            said_at_s: f64::NEG_INFINITY,
            waits: false,
        }
    }

    pub(crate) fn show(&mut self, notice: &Notice) {
        match notice {
            Notice::Log(level, line) => self.console(*level, line),
            _ if self.quiet => {}
            Notice::TooFewSamples(few) => say(&format!("warning: {}", warning_of(few))),
            Notice::Warning(note) => {
                self.close();
                say(&format!("warning: {}", report::note_line(note)));
            }
            Notice::SettingUp => self.line("setting up …"),
            Notice::Live(live) => self.live(live),
            Notice::LevelDone(_) => self.close(),
            Notice::Started(_) | Notice::LevelStarted(_) | Notice::Second(_) => {} // for outputs other than the screen
        }
    }

    /// Prints a line in place of the live line.
    pub(crate) fn title(&mut self, text: &str) {
        self.close();
        if !self.quiet {
            say(text);
        }
    }

    /// Shows a state that the next one replaces. Without a terminal, shows nothing.
    pub(crate) fn status(&mut self, text: &str) {
        if self.terminal && !self.quiet {
            self.line(text);
        }
    }

    /// Prints a line of the script's console. Quiet mode does not hide it, because the script's author wants to see it.
    fn console(&mut self, level: LogLevel, line: &str) {
        self.close();
        let line = without_hidden(line);
        match level {
            LogLevel::Warn => say(&format!("warning: {line}")),
            LogLevel::Error => say(&format!("error: {line}")),
            LogLevel::Debug | LogLevel::Info => say(&line),
        }
    }

    fn live(&mut self, live: &Live) {
        let waits = live.in_flight.is_some();
        // The elapsed time starts at 0 in each phase. The first line of a phase is shown immediately.
        let first = live.elapsed_s < self.said_at_s || waits && !self.waits;
        self.waits = waits;
        if !self.terminal && !first && live.elapsed_s - self.said_at_s < 10.0 {
            return;
        }
        self.said_at_s = live.elapsed_s;
        self.line(&report::live_line(&shown(live)));
    }

    fn line(&mut self, text: &str) {
        if self.terminal {
            // The line must not wrap, because only the row of the cursor can be erased.
            let text = report::one_row(text, width_of_stderr());
            let _ = write!(io::stderr(), "\r\x1b[2K{text}"); // stderr may be closed
            let _ = io::stderr().flush();
            self.line_open = true;
        } else {
            say(text);
        }
    }

    /// Erases the live line, so that the next output stands in its place.
    pub(crate) fn close(&mut self) {
        self.said_at_s = f64::NEG_INFINITY;
        if std::mem::take(&mut self.line_open) {
            erase_live_line();
        }
    }
}

/// Returns the state of a level in the form in which it is shown.
pub(crate) fn shown(live: &Live) -> report::Live {
    report::Live {
        level: live.level as usize,
        levels: live.levels as usize,
        users: live.users.into(),
        rate: live
            .rate
            .as_deref()
            .map(|rate| without_hidden(rate).into_owned()),
        phase: live.phase,
        elapsed_s: live.elapsed_s,
        total_s: Some(live.total_s),
        per_s: matches!(live.phase, LevelPhase::Measurement | LevelPhase::Settling)
            .then_some(live.latest.per_s),
        p95_ms: live.latest.p95_ms,
        lost: live.lost,
        failed: (live.failed > 0).then_some(live.failed),
        busy_percent: Some(live.latest.busy_percent),
        in_flight: live.in_flight.map(|all| (all.count, all.up_to_s)),
        agents: live
            .agents
            .iter()
            .map(|agent| (without_hidden(&agent.name).into_owned(), agent.busy_percent))
            .collect(),
    }
}

/// Returns the words about a threshold that will have too few samples.
pub(crate) fn warning_of(few: &Forecast) -> String {
    let few = Forecast {
        threshold: without_hidden(&few.threshold).into_owned(),
        ..few.clone()
    };
    report::forecast_line(&few)
}
