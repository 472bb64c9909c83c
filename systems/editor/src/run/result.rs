//! The result of a program, with messages for people.

use jiff::Timestamp;
use serde::Serialize;

use super::cut::{escaped, truncate};

/// The result of a program, as clients receive it.
#[derive(Clone, Debug, Serialize)]
pub struct RunResult {
    /// Whether the program exited with code 0.
    pub success: bool,
    /// The program's standard output.
    pub output: String,
    /// The program's standard error. If the program did not succeed, also the reason why it ended.
    pub error: String,
    /// Time of the result in ISO 8601, in UTC and with milliseconds.
    pub timestamp: String,
    /// The reason why the program ended, for use by the server. Clients read `error`.
    #[serde(skip)]
    pub ending: Ending,
}

/// Reason why a program ended, or why it never started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The program exited with code 0.
    Done,
    /// The program exited with another code.
    Code(i32),
    /// This signal terminated the program. The cause is its own error, or the limit on file sizes or CPU time.
    Signal(i32),
    /// The program was stopped at the time limit of this many milliseconds.
    Time(u128),
    /// The program was stopped after it had written more than this many bytes.
    Output(usize),
    /// The program was stopped after it had used more than this many bytes of memory.
    Memory(u64),
    /// The program never started, because too many programs are waiting.
    Busy,
    /// The program never started, because no sandbox works on this machine.
    NoSandbox(String),
    /// The program never started, because the language is not installed. Contains the language's name and package.
    NoLanguage(&'static str, &'static str),
    /// The program never started, because its code is longer than this many bytes.
    CodeTooLong(usize),
    /// The sandbox failed for this reason.
    Broken(String),
}

impl RunResult {
    /// Builds the result of a program from its two outputs.
    pub(super) fn of(ending: Ending, output: String, written: String) -> Self {
        let error = match ending.sentence() {
            None => written,
            // The program's own error message explains more than its exit code.
            Some(_) if ending.is_own() && !written.trim().is_empty() => written,
            Some(sentence) if written.is_empty() => sentence,
            Some(sentence) => format!("{}\n{sentence}", written.trim_end()),
        };
        Self {
            success: ending == Ending::Done,
            output,
            error,
            timestamp: Timestamp::now()
                .strftime("%Y-%m-%dT%H:%M:%S.%3fZ")
                .to_string(),
            ending,
        }
    }

    /// Limits both texts together to `most` bytes as JSON, and notes the truncation. Space that one text does not need
    /// goes to the other.
    pub(crate) fn cut_to(mut self, most: usize) -> Self {
        let (output, error) = (escaped(&self.output), escaped(&self.error));
        if output + error <= most {
            return self;
        }
        let mut note = format!("Truncated: the maximum size is {}.", size(most as u64));
        // Move the reason for stopping into the note, so that it is not cut off.
        if let Some(sentence) = self.ending.sentence().filter(|_| !self.ending.is_own()) {
            let written = self.error.trim_end_matches(&sentence).len();
            self.error.truncate(written);
            note = format!("{sentence}\n{note}");
        }
        let room = most.saturating_sub(escaped(&note) + escaped("\n"));
        let for_error = escaped(&self.error).min((room / 2).max(room.saturating_sub(output)));
        truncate(&mut self.error, for_error);
        truncate(&mut self.output, room - for_error);
        let written = self.error.trim_end().len();
        self.error.truncate(written);
        if written > 0 {
            self.error.push('\n');
        }
        self.error.push_str(&note);
        self
    }

    /// Builds the result of a program that never started.
    pub(super) fn refused(ending: Ending) -> Self {
        Self::of(ending, String::new(), String::new())
    }
}

impl Ending {
    /// Whether the program was started, with any result.
    pub(crate) fn was_run(&self) -> bool {
        !matches!(
            self,
            Self::Busy
                | Self::NoSandbox(_)
                | Self::NoLanguage(..)
                | Self::CodeTooLong(_)
                | Self::Broken(_)
        )
    }

    /// Whether the program ended on its own, with an exit code.
    fn is_own(&self) -> bool {
        matches!(self, Self::Done | Self::Code(_))
    }

    fn sentence(&self) -> Option<String> {
        Some(match self {
            Self::Done => return None,
            Self::Code(code) => format!("The program ended with code {code}."),
            Self::Signal(signal) => format!(
                "The program was terminated by signal {signal}{}.",
                meaning(*signal)
            ),
            Self::Time(milliseconds) => {
                format!(
                    "Stopped after {} s: time limit reached.",
                    seconds(*milliseconds)
                )
            }
            Self::Output(most) => format!(
                "Stopped: more than {} of output. The rest is discarded.",
                size(*most as u64)
            ),
            Self::Memory(most) => format!(
                "Stopped: more than {} of memory, files included.",
                size(*most)
            ),
            Self::Busy => "Busy: too many programs are waiting. Try again in a moment.".to_owned(),
            Self::NoSandbox(reason) => format!("Code cannot be run here: {reason}"),
            Self::NoLanguage(name, package) => {
                format!(
                    "`{name}` is not installed here. On Debian it is in the package `{package}`."
                )
            }
            Self::CodeTooLong(most) => format!("The code is longer than {}.", size(*most as u64)),
            Self::Broken(reason) => format!("The sandbox failed: {reason}"),
        })
    }
}

fn seconds(milliseconds: u128) -> String {
    match milliseconds % 1000 {
        0 => (milliseconds / 1000).to_string(),
        rest => format!("{}.{rest:03}", milliseconds / 1000),
    }
}

fn size(bytes: u64) -> String {
    match (bytes >> 20, bytes >> 10) {
        (0, 0) => format!("{bytes} bytes"),
        (0, kibibytes) => format!("{kibibytes} KiB"),
        (mebibytes, _) => format!("{mebibytes} MiB"),
    }
}

/// Explains the signals that commonly end programs.
fn meaning(signal: i32) -> &'static str {
    match signal {
        4 => " (illegal instruction)",
        6 => " (aborted)",
        8 => " (division by zero)",
        9 => " (killed)",
        11 => " (invalid memory access)",
        24 => " (CPU time limit exceeded)",
        25 => " (file size limit exceeded)",
        31 => " (forbidden system call)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(ending: Ending, written: &str) -> String {
        RunResult::of(ending, String::new(), written.to_owned()).error
    }

    #[test]
    fn every_stop_is_told_apart_and_what_was_written_is_kept() {
        assert_eq!(error(Ending::Done, "a warning\n"), "a warning\n");
        assert_eq!(error(Ending::Code(3), ""), "The program ended with code 3.");
        assert_eq!(error(Ending::Code(1), "NameError\n"), "NameError\n");
        assert_eq!(
            error(Ending::Time(5000), "half\n"),
            "half\nStopped after 5 s: time limit reached."
        );
        assert_eq!(
            error(Ending::Time(1500), ""),
            "Stopped after 1.500 s: time limit reached."
        );
        assert_eq!(
            error(Ending::Output(1 << 20), ""),
            "Stopped: more than 1 MiB of output. The rest is discarded."
        );
        assert_eq!(
            error(Ending::Memory(512 << 20), ""),
            "Stopped: more than 512 MiB of memory, files included."
        );
        assert_eq!(
            error(Ending::Signal(11), ""),
            "The program was terminated by signal 11 (invalid memory access)."
        );
    }

    #[test]
    fn what_is_too_long_is_cut_by_its_size_as_json_and_a_short_text_stays_whole() {
        let of = |ending, output: &str, error: &str| {
            let result = RunResult::of(ending, output.to_owned(), error.to_owned()).cut_to(1000);
            let size = escaped(&result.output) + escaped(&result.error);
            assert!(size <= 1000, "{size}");
            result
        };
        let short = of(Ending::Done, "out", "warning");
        assert_eq!((&*short.output, &*short.error), ("out", "warning"));
        let control = of(Ending::Done, &"\u{1}".repeat(10_000), "warning");
        let cut = "Truncated: the maximum size is 1000 bytes.";
        assert_eq!(control.error, format!("warning\n{cut}"));
        assert_eq!(
            control.output,
            "\u{1}".repeat((1000 - cut.len() - 2 - 7) / 6)
        );
        let both = of(Ending::Time(5000), &"x".repeat(900), &"y".repeat(900));
        let stopped = "Stopped after 5 s: time limit reached.";
        assert!(
            both.error.ends_with(&format!("y\n{stopped}\n{cut}")),
            "{}",
            both.error
        );
        assert_eq!(
            both.output.len(),
            (1000 - stopped.len() - cut.len() - 4) / 2
        );
        assert_eq!(both.output.len(), both.error.matches('y').count() - 1); // of "bytes"
    }

    #[test]
    fn a_program_that_never_began_was_not_run() {
        let refusals = [
            Ending::Busy,
            Ending::NoSandbox(String::new()),
            Ending::NoLanguage("go", "golang-go"),
            Ending::CodeTooLong(1),
            Ending::Broken(String::new()),
        ];
        assert!(refusals.iter().all(|ending| !ending.was_run()));
        let ran = [
            Ending::Done,
            Ending::Code(1),
            Ending::Signal(9),
            Ending::Time(1),
            Ending::Memory(1),
        ];
        assert!(ran.iter().all(Ending::was_run));
    }

    #[test]
    fn clients_get_the_four_fields_and_a_time_in_utc() {
        let result = RunResult::of(Ending::Done, "1\n".to_owned(), String::new());
        let json = serde_json::to_value(&result).unwrap();
        let fields: Vec<&String> = json.as_object().unwrap().keys().collect();
        assert_eq!(fields, ["success", "output", "error", "timestamp"]);
        assert_eq!(result.timestamp.len(), "2026-01-01T00:00:00.000Z".len());
        assert!(
            result.timestamp.parse::<Timestamp>().is_ok(),
            "{}",
            result.timestamp
        );
    }
}
