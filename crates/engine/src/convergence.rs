//! At the end of an iteration, compares the user states that the members of the group reported.

use model::{Fault, FaultKind, Nanos, UserId};

use crate::recorder::Scene;
use crate::user_states::Agreement;
use crate::world::World;

impl World {
    pub(crate) fn say_held(&mut self, user: UserId, name: &str, text: &str) {
        if let Some((group, member, _)) = self.group_of(user) {
            group.held.say(name, member, text);
        }
    }

    /// Compares the states of the group's members, then discards the states. Counts the result if the iteration is
    /// measured.
    pub(crate) fn compare_held(&mut self, slot: usize, at: Nanos, measured: bool) {
        let group = &mut self.level.groups[slot];
        let held = std::mem::take(&mut group.held);
        let (number, members) = (group.number, group.users.len());
        if !measured {
            return;
        }
        // In a mix, some scenarios may never report a state under a given name.
        let is_mixed = self.config.options.mix.is_some();
        let known: Vec<String> = self
            .level
            .recorder
            .measured
            .converged
            .keys()
            .cloned()
            .collect();
        let others = known.iter().filter(|_| !is_mixed).map(String::as_str);
        for (name, agreement) in held.compare(members, others) {
            let counts = self.level.recorder.convergence(name);
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
                        "{said} members of group {number} reported different states ({shortest} to {longest} bytes)"
                    );
                    let fault = Fault::target(FaultKind::Diverged, detail);
                    let scene = Scene {
                        what: format!("converged({name})"),
                        at,
                        ..Scene::default()
                    };
                    self.level.recorder.fail(&fault, scene, None, None);
                }
            }
        }
    }
}
