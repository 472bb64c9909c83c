//! Mistakes in the scenario that leave nothing to search for.

use engine::RunError;
use model::{Fault, Side};
use record::{Failure, Run};
use script::ScriptFault;

/// The most frequent mistake, if no iteration of the run succeeded. Otherwise, a script may throw because the target is overloaded.
pub(super) fn of(run: &Run) -> Option<RunError> {
    let level = run.levels.first()?;
    let iterations = &level.measured.iterations;
    if iterations.succeeded > 0 || iterations.failed == 0 {
        return None;
    }
    let all = level.measured.failures.iter().chain(&run.script_faults);
    let mistake = all
        .filter(|failure| failure.side == Side::Script)
        .max_by_key(|failure| failure.count)?;
    Some(RunError::Script(Box::new(described(mistake))))
}

fn described(mistake: &Failure) -> ScriptFault {
    let Failure { kind, first, .. } = mistake;
    let place = first.location.as_ref();
    let place = place.map_or(String::new(), |place| format!("{place}: "));
    let detail = format!(
        "no iteration succeeds at the first load: {place}{}",
        first.detail
    );
    ScriptFault {
        frame: first.frame.clone(),
        ..Fault::script(*kind, detail).into()
    }
}
