//! Deliveries in the bodies of responses.

use rquickjs::{Result, Value};

use super::arg::{boolean, text, type_error};
use super::native::{Call, Natives};
use super::options::each;
use super::receiver::User;
use super::socket::set_place;
use crate::host::{ChannelId, ResponsesCall, StampPlace};

const CALL: &str = "user.receives(channel, options)";
const KNOWN: [&str; 5] = ["in", "at", "only", "except", "repeats"];

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("receivesInResponses", receives)?;
    natives.add("stopReceivingInResponses", stop)
}

fn receives<'js>(
    native: &Call<'_, 'js>,
    user: User,
    channel: u32,
    options: Value<'js>,
) -> Result<u32> {
    let ctx = &native.ctx;
    let (mut request, mut repeats) = (None, false);
    let mut place = StampPlace::default();
    each(ctx, &options, CALL, &KNOWN, |key, value| {
        let what = format!("{CALL}: `{key}`");
        match key {
            "in" => request = Some(text(ctx, &value, &what)?),
            "repeats" => repeats = boolean(ctx, &value, &what)?,
            _ => set_place(ctx, &mut place, (key, &value), &what)?,
        }
        Ok(())
    })?;
    let request = request.ok_or_else(|| {
        let refusal = "`in` is missing: the name of the requests, such as \"GET /inbox\"";
        type_error(ctx, &format!("{CALL}: {refusal}"))
    })?;
    let call = ResponsesCall {
        request,
        place,
        repeats,
    };
    let started = native
        .host()
        .receives_in_responses(user.id, ChannelId(channel), call);
    native.or_throw(started)
}

/// Stops a search. After the iteration, there is none.
fn stop(native: &Call<'_, '_>, user: u32, receiving: u32) {
    if let Some(user) = native.state.user_id(user) {
        native.host().stop_receiving_in_responses(user, receiving);
    }
}
