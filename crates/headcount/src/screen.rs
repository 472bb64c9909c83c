//! Output to the terminal: data to stdout, everything else to stderr.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Write as _};
use std::os::fd::AsFd;
use std::sync::OnceLock;

use model::{HiddenValues, without_credentials};
use rustix::termios::tcgetwinsize;

use crate::exit::Exit;

/// Whether to use colours: stdout must be a terminal, and `NO_COLOR` must be unset or empty.
pub(crate) fn colour() -> bool {
    io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// How a report is rendered on this terminal.
pub(crate) fn terminal(saved_to: Option<&str>) -> report::Terminal<'_> {
    report::Terminal {
        colour: colour(),
        width: width(),
        trace: false,
        saved_to,
    }
}

/// Returns the width of stdout in characters. `None` for a file or a pipe.
pub(crate) fn width() -> Option<usize> {
    width_of(&io::stdout())
}

/// Returns the width of stderr in characters. `None` for a file or a pipe.
pub(crate) fn width_of_stderr() -> Option<usize> {
    width_of(&io::stderr())
}

fn width_of(stream: &(impl IsTerminal + AsFd)) -> Option<usize> {
    let size = stream.is_terminal().then(|| tcgetwinsize(stream))?;
    let columns = size.ok()?.ws_col;
    (columns > 0).then_some(usize::from(columns))
}

/// Values that no message may show. The record, and everything that is made from it, already omits these values.
static HIDDEN: OnceLock<HiddenValues> = OnceLock::new();

/// Hides values in all later messages that may contain them.
pub(crate) fn hide(values: HiddenValues) {
    let _ = HIDDEN.set(values); // a process runs one command, which calls this once
}

/// The values that no message may show.
pub(crate) fn hidden() -> Option<&'static HiddenValues> {
    HIDDEN.get()
}

/// Hides values in a text of the scenario or of an error. headcount's own text needs no hiding, and its figures could
/// equal a hidden value by chance.
pub(crate) fn without_hidden(text: &str) -> Cow<'_, str> {
    match HIDDEN.get() {
        Some(values) => values.hide(text),
        None => Cow::Borrowed(text),
    }
}

/// Prints data on stdout, without the credentials of URLs. A closed pipe is not an error.
pub(crate) fn print(text: &str) -> anyhow::Result<()> {
    let text = without_credentials(text);
    match io::stdout()
        .write_all(text.as_bytes())
        .and_then(|()| io::stdout().flush())
    {
        Err(why) if why.kind() != io::ErrorKind::BrokenPipe => Err(why.into()),
        _ => Ok(()),
    }
}

/// Prints a message on stderr, without the credentials of URLs.
pub(crate) fn say(text: &str) {
    let text = without_credentials(text);
    let _ = writeln!(io::stderr(), "{text}"); // stderr may be closed
}

/// Erases the row of the cursor on stderr. Without a terminal there is no live line.
pub(crate) fn erase_live_line() {
    let mut stderr = io::stderr();
    if stderr.is_terminal() {
        // stderr may be closed.
        let _ = write!(stderr, "\r\x1b[2K").and_then(|()| stderr.flush());
    }
}

/// Prints an error with its causes on stderr, and returns its exit code.
pub(crate) fn complain(error: &anyhow::Error) -> Exit {
    say(&format!("error: {}", without_hidden(&format!("{error:#}"))));
    exit_of(error)
}

fn exit_of(error: &anyhow::Error) -> Exit {
    if let Some(prepare) = error.downcast_ref::<engine::PrepareError>() {
        return prepare.into();
    }
    if let Some(run) = error.downcast_ref::<engine::RunError>() {
        return run.into();
    }
    if let Some(fleet) = error.downcast_ref::<fleet::FleetError>() {
        return fleet.into();
    }
    if let Some(harness) = error.downcast_ref::<harness::HarnessError>() {
        return harness.into();
    }
    Exit::Usage
}
