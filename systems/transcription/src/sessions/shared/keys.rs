/// The keys in Redis. The braces keep all of them on one node of a cluster, as the scripts need.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// The end of each worker's lease.
    pub(super) leases: String,
    /// Prefix of the sessions of each worker.
    pub(super) sessions: String,
    prefix: String,
}

impl Keys {
    pub(super) fn new(prefix: &str) -> Self {
        let prefix = format!("{{{prefix}}}");
        Self {
            leases: format!("{prefix}:leases"),
            sessions: format!("{prefix}:sessions:"),
            prefix,
        }
    }

    /// The sessions of a worker.
    pub(super) fn sessions_of(&self, worker: &str) -> String {
        format!("{}{worker}", self.sessions)
    }

    /// The sessions that a worker should end.
    pub(super) fn ends_of(&self, worker: &str) -> String {
        format!("{}:ends:{worker}", self.prefix)
    }

    /// The figures of a session that lost its connection.
    pub(super) fn past(&self, id: &str) -> String {
        format!("{}:past:{id}", self.prefix)
    }
}
