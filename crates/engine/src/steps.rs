//! The steps that somebody is in, to say with a failure where it happened.

/// Open steps of one user, or of a group as a whole; the innermost last. They need not end in the order in
/// which they began: a script may run two at once.
#[derive(Debug, Default)]
pub(crate) struct Steps(Vec<String>);

impl Steps {
    pub(crate) fn begin(&mut self, name: &str) {
        self.0.push(name.to_owned());
    }

    pub(crate) fn end(&mut self, name: &str) {
        if let Some(at) = self.0.iter().rposition(|open| open == name) {
            self.0.remove(at);
        }
    }

    /// Forgets what an iteration that was given up has left open.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    pub(crate) fn innermost(&self) -> Option<&str> {
        self.0.last().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use model::{Fault, FaultKind, GroupId, Nanos, UserId};
    use script::host::Host;
    use script::{Bundle, DataStore};

    use super::Steps;
    use crate::people::{Group, User};
    use crate::prepare::empty_world;
    use crate::world::World;

    #[test]
    fn steps_that_overlap_end_by_name() {
        let mut steps = Steps::default();
        steps.begin("upload");
        steps.begin("chat");
        assert_eq!(steps.innermost(), Some("chat"));
        steps.end("upload");
        assert_eq!(steps.innermost(), Some("chat"));
        steps.end("never begun");
        steps.end("chat");
        assert_eq!(steps.innermost(), None);
    }

    const GROUP: GroupId = GroupId(7);

    fn world_of_two() -> (World, [UserId; 2]) {
        let bundle = Bundle::embedded("x.ts", "").unwrap();
        let mut world = empty_world(&bundle, &DataStore::new(Path::new("."))).unwrap();
        let users = [0, 1].map(|member| {
            let user = User::new(format!("u{member}"), 0, member, 0);
            world.users.add(user)
        });
        let roles = vec![None, None];
        let group = Group::new(GROUP, 0, users.to_vec(), roles, 0, Nanos::ZERO);
        world.groups.push(group);
        world.group_slots.insert(GROUP, 0);
        (world, users)
    }

    #[test]
    fn a_failure_names_the_step_of_its_own_user() {
        let (mut world, [ann, bob]) = world_of_two();
        world.step_begin(GROUP, None, "trade");
        world.step_begin(GROUP, Some(ann), "offer");
        world.step_begin(GROUP, Some(bob), "browse");
        let fault = Fault::target(FaultKind::Refused, "refused");
        world.fail(ann, "GET /offer", Nanos::ZERO, &fault);
        world.fail(bob, "GET /browse", Nanos::ZERO, &fault);
        world.step_end(GROUP, Some(bob), "browse", Nanos::ZERO, false);
        world.fail(bob, "GET /after", Nanos::ZERO, &fault);
        let told = world.recorder.measured.failures.iter();
        let told = told.map(|failure| {
            let first = &failure.first;
            (
                failure.what.as_str(),
                first.user.as_deref().unwrap(),
                first.step.as_deref().unwrap(),
            )
        });
        assert_eq!(
            told.collect::<Vec<_>>(),
            [
                ("GET /offer", "u0", "offer"),
                ("GET /browse", "u1", "browse"),
                ("GET /after", "u1", "trade"),
            ]
        );
    }
}
