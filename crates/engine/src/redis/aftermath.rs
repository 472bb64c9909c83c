use model::Fault;
use wire::resp::SlotMap;

use super::redirected::Redirected;

/// What is left to do after the bytes of a connection have been handled.
#[derive(Debug, Default)]
pub(super) struct Aftermath {
    /// Subscriptions whose end the server has confirmed.
    pub(super) over: Vec<u32>,
    /// Subscriptions that the server has refused, or whose end it refused.
    pub(super) refused: Vec<u32>,
    /// Subscriptions that were confirmed after their time limit.
    pub(super) too_late: Vec<u32>,
    /// Subscriptions that the server has ended without being asked.
    pub(super) lost: Vec<u32>,
    /// The cluster to which the connection belongs, if it has just been opened.
    pub(super) node_of: Option<u32>,
    /// The node of each slot of the cluster.
    pub(super) slots: Option<Result<SlotMap, Fault>>,
    pub(super) redirected: Vec<Redirected>,
    /// The fault of a message that is not one.
    pub(super) malformed: Option<Fault>,
}
