//! The connect queue: limits the pace at which connections are opened.
//!
//! Many users who connect at once would overflow the target's listen queue. The kernel would repeat the attempt after 1
//! s, and this delay would be measured. Opening a connection also costs system calls, and a script that opens thousands
//! in one turn must not wait for them.

use std::collections::VecDeque;

/// Maximum number of connections opened between two checks of the sockets.
const PER_PASS: u32 = 16;
/// Maximum number of a worker's connections that the target has not accepted yet. Listen queues usually hold at least
/// 128.
const UNACCEPTED: u32 = 64;

/// Connections that wait to be opened, and the limits on opening them.
#[derive(Debug)]
pub(crate) struct ConnectQueue<Q> {
    waiting: VecDeque<Q>,
    /// Number of connections opened in this pass of the loop.
    in_pass: u32,
    /// Number of connections that were requested from the kernel, but not yet accepted by the target.
    pub(super) unaccepted: u32,
}

impl<Q> Default for ConnectQueue<Q> {
    fn default() -> Self {
        Self {
            waiting: VecDeque::new(),
            in_pass: 0,
            unaccepted: 0,
        }
    }
}

impl<Q> ConnectQueue<Q> {
    /// Returns the connection if the caller may open it now, and queues it otherwise.
    pub(crate) fn enter(&mut self, connection: Q) -> Option<Q> {
        // A new connection must not overtake queued ones.
        if self.waiting.is_empty() && self.may() {
            self.in_pass += 1;
            return Some(connection);
        }
        self.waiting.push_back(connection);
        None
    }

    /// Begins a new pass of the loop.
    pub(crate) fn begin_pass(&mut self) {
        self.in_pass = 0;
    }

    /// Takes the next connection that the caller may open in this pass.
    pub(crate) fn next(&mut self) -> Option<Q> {
        if !self.may() {
            return None;
        }
        let next = self.waiting.pop_front()?;
        self.in_pass += 1;
        Some(next)
    }

    fn may(&self) -> bool {
        self.in_pass < PER_PASS && self.unaccepted < UNACCEPTED
    }

    /// Whether the next pass of the loop can open a connection.
    pub(crate) fn is_due(&self) -> bool {
        !self.waiting.is_empty() && self.unaccepted < UNACCEPTED
    }

    /// The queued connections.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = &Q> {
        self.waiting.iter()
    }

    /// Removes the queued connections for which `is_over` holds.
    pub(crate) fn take_if(&mut self, is_over: impl Fn(&Q) -> bool) -> Vec<Q> {
        if !self.waiting.iter().any(&is_over) {
            return Vec::new();
        }
        let waiting = std::mem::take(&mut self.waiting).into_iter();
        let (over, others): (Vec<_>, Vec<_>) = waiting.partition(is_over);
        self.waiting = others.into();
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue while the target accepts no connection.
    fn blocked() -> ConnectQueue<i32> {
        ConnectQueue {
            unaccepted: 64,
            ..ConnectQueue::default()
        }
    }

    #[test]
    fn connections_are_opened_in_order_and_at_most_so_many_in_a_pass() {
        let mut queue = ConnectQueue::default();
        let at_once = (0..100).filter(|&one| queue.enter(one).is_some()).count();
        assert_eq!(at_once, 16);
        assert_eq!(queue.next(), None, "the pass has not ended");
        queue.begin_pass();
        assert_eq!(queue.enter(100), None, "84 others wait");
        let opened: Vec<i32> = std::iter::from_fn(|| queue.next()).collect();
        assert_eq!(opened, (16..32).collect::<Vec<_>>());
    }

    #[test]
    fn nothing_is_opened_while_the_target_accepts_nothing() {
        let mut queue = blocked();
        assert_eq!(queue.enter(1), None);
        assert!(!queue.is_due());
        queue.unaccepted = 63;
        assert!(queue.is_due());
        assert_eq!(queue.next(), Some(1));
    }

    #[test]
    fn connections_that_are_not_needed_leave_the_queue() {
        let mut queue = blocked();
        (0..6).for_each(|one| assert_eq!(queue.enter(one), None));
        assert_eq!(queue.take_if(|one| one % 2 == 0), [0, 2, 4]);
        assert!(queue.waiting().eq(&[1, 3, 5]));
    }
}
