//! Native calls by topic. Only the prelude can reach them.

#![expect(
    clippy::needless_pass_by_value,
    reason = "native calls get their arguments by value"
)]

mod arg;
mod audience;
mod audio;
mod crypto;
mod data;
mod env;
mod events;
mod group;
mod hash;
mod http;
mod measure;
mod native;
mod nats;
mod op;
mod options;
mod payload;
mod people;
mod plain;
mod receiver;
mod redis;
mod request;
mod response;
mod responses;
mod socket;
mod socketio;
mod stream;
mod tags;
mod text;
mod time;
mod url;
mod user;
mod web_url;

use std::rc::Rc;

use rquickjs::{Ctx, Object, Result};

use crate::state::State;
use native::Natives;

pub(crate) use audience::{Members, describe};
pub(crate) use people::group_object;
pub(crate) use response::Response;

/// Name of the global object that passes the native calls to the prelude. The prelude deletes it.
const HANDOVER: &str = "$headcount";

macro_rules! define_install {
    ($(
        $(#[$doc:meta])*
        $module:ident: $name:ident($host:ident, $member:ident) $(message $message:ident($content:ty))?
            prelude [$($path:literal = $source:expr),*],
    )*) => {
        fn install_protocols(natives: &Natives<'_>) -> Result<()> {
            $($module::install(natives)?;)*
            Ok(())
        }
    };
}
with_protocols!(define_install);

/// Registers all native calls for the prelude.
pub(crate) fn install(ctx: &Ctx<'_>, state: &Rc<State>) -> Result<()> {
    let natives = Natives {
        object: Object::new(ctx.clone())?,
        methods: Object::new(ctx.clone())?,
        state: state.clone(),
    };
    http::install(&natives)?;
    response::install(&natives)?;
    responses::install(&natives)?;
    tags::install(&natives)?;
    socket::install(&natives)?;
    audio::install(&natives)?;
    stream::install(&natives)?;
    install_protocols(&natives)?;
    people::install(&natives)?;
    user::install(&natives)?;
    time::install(&natives)?;
    group::install(&natives)?;
    audience::install(&natives)?;
    measure::install(&natives)?;
    data::install(&natives)?;
    text::install(&natives)?;
    env::install(&natives)?;
    hash::install(&natives)?;
    crypto::install(&natives)?;
    web_url::install(&natives)?;
    natives.object.set("userMethods", natives.methods)?;
    ctx.globals().set(HANDOVER, natives.object)
}
