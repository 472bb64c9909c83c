//! The users and sockets on which native calls are made.

use model::UserId;
use rquickjs::Result;
use rquickjs::function::{FromParam as _, ParamRequirement, ParamsAccessor};

use super::arg::ended;
use super::native::{Argument, Call};
use super::people::{Who, caller};
use crate::host::SocketId;

/// A user whose iteration has not ended.
pub(super) struct User {
    pub(super) key: u32,
    pub(super) id: UserId,
    pub(super) group: u32,
}

impl User {
    pub(super) fn of(call: &Call<'_, '_>, key: u32) -> Result<Self> {
        let work = call.state.work.borrow();
        let member = work.members.get(key).ok_or_else(|| ended(&call.ctx))?;
        Ok(Self {
            key,
            id: member.about.id,
            group: member.group,
        })
    }

    /// Returns the keys of the group and the user, to which an operation belongs.
    pub(super) fn who(&self) -> (u32, u32) {
        (self.group, self.key)
    }
}

impl<'js> Argument<'js> for User {
    fn requirement() -> ParamRequirement {
        ParamRequirement::single()
    }

    fn take(call: &Call<'_, 'js>, given: &mut ParamsAccessor<'_, 'js>) -> Result<Self> {
        let Who(key) = Who::from_param(given)?;
        Self::of(call, key)
    }
}

/// The user on which a method is called.
pub(super) struct Caller(pub(super) User);

impl<'js> Argument<'js> for Caller {
    fn requirement() -> ParamRequirement {
        ParamRequirement::any()
    }

    fn take(call: &Call<'_, 'js>, given: &mut ParamsAccessor<'_, 'js>) -> Result<Self> {
        let key = caller(&call.ctx, &given.this(), call.method)?;
        User::of(call, key).map(Self)
    }
}

/// A socket whose iteration has not ended. The prelude passes its key.
pub(super) struct Held {
    pub(super) key: u32,
    pub(super) id: SocketId,
    /// The keys of the group and the user, to which an operation belongs.
    pub(super) who: (u32, u32),
}

impl Held {
    pub(super) fn of(call: &Call<'_, '_>, key: u32) -> Result<Self> {
        let work = call.state.work.borrow();
        let socket = work.sockets.get(key).ok_or_else(|| ended(&call.ctx))?;
        Ok(Self {
            key,
            id: socket.id,
            who: (socket.group, socket.user),
        })
    }
}

impl<'js> Argument<'js> for Held {
    fn requirement() -> ParamRequirement {
        ParamRequirement::single()
    }

    fn take(call: &Call<'_, 'js>, given: &mut ParamsAccessor<'_, 'js>) -> Result<Self> {
        Self::of(call, u32::from_param(given)?)
    }
}
