use crate::base::Base;

/// The Socket.IO sessions of users.
pub(crate) struct Sessions<'a> {
    pub(crate) base: &'a mut Base,
}
