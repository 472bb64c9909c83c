use crate::base::Base;

/// The streams of server-sent events of users.
pub(crate) struct Streams<'a> {
    pub(crate) base: &'a mut Base,
}
