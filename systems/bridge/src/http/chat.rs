use std::net::IpAddr;

use axum::body::{Bytes, HttpBody};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Response};
use http_body_util::Full;
use tokio::time::Instant;

use super::body;
use crate::agent::Agent;
use crate::bridge::{Bridge, moment};
use crate::house::{Speaker, Spoken};
use crate::refusal::Refusal;
use crate::wire::{self, Chat};

/// `POST /bridge/chat`: delivers the message to the room. The response contains the agent's reply.
pub(crate) async fn respond<B: HttpBody<Data = Bytes>>(
    bridge: &Bridge,
    address: IpAddr,
    body: B,
) -> Response<Full<Bytes>> {
    let answer = match body::read(body, bridge.max_body).await {
        Ok(bytes) => answer(bridge, address, &bytes).await,
        Err(refusal) => Err(refusal),
    };
    if let Some(faults) = &bridge.faults {
        faults.hold(Instant::now()).await;
    }
    match answer {
        Ok(json) => json_response(json),
        Err(refusal) => {
            bridge.counters.refusals.inc();
            refusal.response()
        }
    }
}

async fn answer(bridge: &Bridge, address: IpAddr, bytes: &[u8]) -> Result<String, Refusal> {
    let chat: Chat<'_> = wire::read(bytes)?;
    if let Agent::Persona = bridge.agent {
        let mut house = bridge.house();
        let spoken = speak(bridge, &mut house, address, &chat)?;
        return house.reply(spoken, &chat.message, None);
    }
    let spoken = speak(bridge, &mut bridge.house(), address, &chat)?;
    let answer = bridge.ask(spoken.session, &chat.message).await?;
    let mut house = bridge.house();
    house.reply(spoken, &chat.message, answer.as_deref())
}

fn speak(
    bridge: &Bridge,
    house: &mut crate::house::House,
    address: IpAddr,
    chat: &Chat<'_>,
) -> Result<Spoken, Refusal> {
    let speaker = Speaker {
        address,
        user: &chat.user,
        room: chat.room.as_deref(),
        session: chat.session.as_deref(),
    };
    let spoken = house.speak(&speaker, &chat.message, moment())?;
    if let Some(faults) = &bridge.faults {
        faults.message();
    }
    Ok(spoken)
}

/// Builds a response with status 200 and a JSON body.
pub(super) fn json_response(json: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(json));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, json);
    response
}
