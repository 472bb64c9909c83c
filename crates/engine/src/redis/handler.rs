use crate::base::Base;

/// The connections of users to Redis servers.
pub(crate) struct Redis<'a> {
    pub(crate) base: &'a mut Base,
}
