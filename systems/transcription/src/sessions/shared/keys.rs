/// The keys in Redis. The braces keep all of them on one node of a cluster, as the scripts need.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    /// The end of each worker's lease.
    pub(super) leases: String,
    /// Prefix of the sessions of each worker.
    pub(super) sessions: String,
    /// Prefix of the sessions that each worker should end.
    pub(super) ends: String,
    /// Prefix of the figures of each session that lost its connection.
    pub(super) past: String,
    /// Prefix of the mark of each session that was recovered.
    pub(super) taken: String,
}

impl Keys {
    pub(super) fn new(prefix: &str) -> Self {
        let of = |name: &str| format!("{{{prefix}}}:{name}");
        Self {
            leases: of("leases"),
            sessions: of("sessions:"),
            ends: of("ends:"),
            past: of("past:"),
            taken: of("taken:"),
        }
    }

    /// The sessions of a worker.
    pub(super) fn sessions_of(&self, worker: &str) -> String {
        format!("{}{worker}", self.sessions)
    }
}
