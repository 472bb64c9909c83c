use crate::base::Base;

/// The connections of users to NATS servers.
pub(crate) struct Nats<'a> {
    pub(crate) base: &'a mut Base,
}
