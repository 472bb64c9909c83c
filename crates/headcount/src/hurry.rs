//! Ctrl-C: once, and the run ends early and in order; twice, and the program ends within a second, whatever it is doing.

use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use engine::Stop;

use crate::exit::Exit;
use crate::screen::say;

/// After the second Ctrl-C the engine has so long to hand over what was measured.
const AT_ONCE: Duration = Duration::from_millis(900);

/// The engine has handed it over: saving and showing it takes no time worth an interruption.
static HANDED_OVER: AtomicBool = AtomicBool::new(false);

/// Ctrl-C asks to stop.
pub(crate) fn stop_on_ctrl_c() -> anyhow::Result<Stop> {
    let stop = Stop::default();
    let asked = stop.clone();
    ctrlc::set_handler(move || {
        asked.ask();
        match asked.asked() {
            1 => say("\nstopping: what is on its way is waited for; Ctrl-C again stops at once"),
            2 => {
                say("\nstopping at once");
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

/// What was measured is there: the program ends by itself.
pub(crate) fn nothing_left_to_wait_for() {
    HANDED_OVER.store(true, Ordering::Relaxed);
}

#[expect(
    clippy::exit,
    clippy::disallowed_methods,
    reason = "the second request to stop ends the program from the signal's thread, whatever main does"
)]
fn end_now() {
    say("interrupted in the middle: what was measured is not saved");
    process::exit(i32::from(Exit::Interrupted as u8));
}
