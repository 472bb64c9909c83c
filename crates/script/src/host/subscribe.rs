use model::Nanos;

/// The kind of name to which a subscription applies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SubscriptionKind {
    /// Channels.
    #[default]
    Channel,
    /// Patterns of channels.
    Pattern,
    /// Channels of the shards of a cluster.
    Shard,
}

/// A subscription to make.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubscribeCall {
    /// Whether the names are channels or patterns.
    pub kind: SubscriptionKind,
    /// The channels or patterns, none of them twice.
    pub names: Vec<Vec<u8>>,
    /// Time limit until the server has confirmed all of them. `None` means the run's limit.
    pub timeout: Option<Nanos>,
    /// Planned start. `None` means now.
    pub planned: Option<Nanos>,
}
