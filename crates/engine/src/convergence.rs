//! At the end of an iteration, compares the user states that the members of the group reported.

use model::{Fault, FaultKind, Nanos};

use crate::people::Group;
use crate::recorder::{Recorder, Scene};
use crate::user_states::Agreement;

/// Compares the states of the group's members, then discards the states. Counts the result if the iteration is
/// measured.
pub(crate) fn compare_states(
    group: &mut Group,
    recorder: &mut Recorder,
    is_mixed: bool,
    at: Nanos,
    measured: bool,
) {
    let held = std::mem::take(&mut group.held);
    if !measured {
        return;
    }
    // In a mix, some scenarios may never report a state under a given name.
    let known: Vec<String> = recorder.measured.converged.keys().cloned().collect();
    let others = known.iter().filter(|_| !is_mixed).map(String::as_str);
    for (name, agreement) in held.compare(group.users.len(), others) {
        let counts = recorder.convergence(name);
        match agreement {
            Agreement::Converged => counts.converged += 1,
            Agreement::Unknown => counts.unknown += 1,
            Agreement::Diverged {
                said,
                shortest,
                longest,
            } => {
                counts.diverged += 1;
                let detail = format!(
                    "{said} members of group {} reported different states ({shortest} to {longest} bytes)",
                    group.number
                );
                let fault = Fault::target(FaultKind::Diverged, detail);
                let scene = Scene {
                    what: format!("converged({name})"),
                    at,
                    ..Scene::default()
                };
                recorder.fail(&fault, scene, None, None);
            }
        }
    }
}
