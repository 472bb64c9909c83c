use model::Nanos;

use crate::recorder::Recorder;

/// Open steps of one user, or of a group as a whole, the innermost last. A script may run two steps at once, so they
/// may end in any order.
#[derive(Debug, Default)]
pub(crate) struct Steps(Vec<Open>);

#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    token: u64,
    pub(super) node: u32,
    pub(super) started: Nanos,
}

impl Steps {
    pub(super) fn begin(&mut self, token: u64, node: u32, started: Nanos) {
        self.0.push(Open {
            token,
            node,
            started,
        });
    }

    pub(super) fn end(&mut self, token: u64) -> Option<(u32, Nanos)> {
        let at = self.0.iter().rposition(|open| open.token == token)?;
        let open = self.0.remove(at);
        Some((open.node, open.started))
    }

    /// Ends the steps that are still open at the end of an iteration.
    pub(super) fn leave(&mut self, now: Nanos, recorder: &mut Recorder) {
        for open in self.0.drain(..) {
            recorder.leave_step(open.node, open.started, now);
        }
    }

    /// The node of the open step that began last.
    pub(crate) fn innermost(&self) -> Option<u32> {
        self.0.last().map(|open| open.node)
    }

    /// The open step that began last.
    pub(super) fn last(&self) -> Option<Open> {
        self.0.last().copied()
    }
}
