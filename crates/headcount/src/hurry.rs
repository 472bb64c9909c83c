//! Handles Ctrl-C. The first Ctrl-C ends the run early but keeps its results. The second one ends the program within a
//! second, even if the run does not react. The systems that the program started end at most half a second later.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use engine::Stop;

use crate::exit::Exit;
use crate::screen::{erase_live_line, say};

/// Time limit for the engine to hand over its measurements after the second Ctrl-C.
const AT_ONCE: Duration = Duration::from_millis(900);

/// Whether the engine has handed over its measurements. Saving and printing them is fast, and is not interrupted.
static HANDED_OVER: AtomicBool = AtomicBool::new(false);

/// Whether the run is saved or, if it need not be, printed. Only its outputs may take a few more seconds.
static ONLY_OUTPUTS: AtomicBool = AtomicBool::new(false);

/// Installs the handler. Returns the `Stop` through which the handler ends the run.
pub(crate) fn stop_on_ctrl_c() -> anyhow::Result<Stop> {
    let stop = Stop::default();
    let asked = stop.clone();
    ctrlc::set_handler(move || {
        asked.ask();
        match asked.asked() {
            1 => say_over_live_line(
                "stopping: waiting for requests in flight; Ctrl-C again stops at once",
            ),
            2 => {
                say_over_live_line("stopping at once");
                thread::spawn(|| {
                    thread::sleep(AT_ONCE);
                    if !HANDED_OVER.load(Ordering::Relaxed) {
                        end_now();
                    }
                });
            }
            _ => end_now(),
        }
    })?;
    Ok(stop)
}

/// Ends the run in order, as the first Ctrl-C does. Has no effect if somebody has ended it already. `by` names who asks.
pub(crate) fn end_in_order(stop: &Stop, by: &str) {
    if stop.ask_first() {
        say_over_live_line(&format!(
            "stopping, as {by} asks: waiting for requests in flight; Ctrl-C stops at once"
        ));
    }
}

/// Records that the engine has handed over its measurements, so the program is about to end by itself.
pub(crate) fn nothing_left_to_wait_for() {
    HANDED_OVER.store(true, Ordering::Relaxed);
}

/// Records that another run follows, so the second Ctrl-C must end the program again.
#[cfg(feature = "systems")]
pub(crate) fn more_to_wait_for() {
    HANDED_OVER.store(false, Ordering::Relaxed);
}

/// Records that a third Ctrl-C loses nothing but what the outputs have not yet sent.
pub(crate) fn only_outputs_are_left() {
    ONLY_OUTPUTS.store(true, Ordering::Relaxed);
}

/// Prints a message in place of the live line and of the terminal's `^C`.
fn say_over_live_line(text: &str) {
    erase_live_line();
    say(text);
}

#[expect(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "the second request to stop ends the program from the signal's thread, whatever main does"
)]
fn end_now() {
    say(if ONLY_OUTPUTS.load(Ordering::Relaxed) {
        "interrupted: the outputs of this run may be incomplete"
    } else {
        "interrupted: the measurements of this run are not saved"
    });
    harness::end_all(); // nothing is dropped, so the systems would run on
    process::exit(i32::from(Exit::Interrupted as u8));
}
