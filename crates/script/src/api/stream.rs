//! Streams: audio that is sent in chunks at a fixed pace.

use std::sync::Arc;

use model::Nanos;
use rquickjs::{Ctx, Exception, Promise, Result, Value};

use super::arg::{span, text, type_error, whole};
use super::native::{Call, Natives};
use super::op::begin;
use super::options::{each, pointer, pointers_to_any};
use super::receiver::Held;
use crate::audio::Chunks;
use crate::host::{Pattern, Piece, StreamCall, StreamReply, Template};
use crate::work::Then;

const CALL: &str = "socket.stream(name, source, options)";
const KNOWN: [&str; 8] = [
    "chunk", "every", "as", "repeat", "reply", "results", "inFlight", "timeout",
];
/// The length of a chunk if the script states none.
const CHUNK: Nanos = Nanos::from_millis(20);
/// The number of chunks that may await their replies if the script states none: half an hour at 20 ms.
const IN_FLIGHT: u32 = 100_000;
/// The shortest length and the shortest pace of chunks.
const SHORTEST: Nanos = Nanos::from_micros(100);

/// The maximum number of pieces of a message.
const MOST_PIECES: usize = 8;

/// Texts that stand for the chunk and for its number in the JSON text of a message.
const BASE64: &str = "{{headcount:base64}}";
const NUMBER: &str = "{{headcount:number}}";

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("startStream", start)?;
    natives.add("stopStream", stop)
}

/// The options of a stream as the script states them.
struct Stated {
    chunk: Nanos,
    every: Option<Nanos>,
    template: Option<Template>,
    repeat: u32,
    in_flight: u32,
    reply: Option<StreamReply>,
    first: Option<Pattern>,
    last: Option<Pattern>,
    timeout: Option<Nanos>,
}

fn start<'js>(
    call: &Call<'_, 'js>,
    socket: Held,
    name: String,
    audio: u32,
    options: Value<'js>,
) -> Result<Promise<'js>> {
    let stated = stated(&call.ctx, &options)?;
    let base64 = stated.template.is_some();
    let chunks = chunks(call, (audio, stated.chunk, base64))?;
    let made = StreamCall {
        name: name.into(),
        chunks,
        every: stated.every.unwrap_or(stated.chunk),
        template: stated.template,
        repeat: stated.repeat,
        in_flight: stated.in_flight,
        reply: stated.reply,
        first: stated.first,
        last: stated.last,
        timeout: stated.timeout,
    };
    begin(call, socket.who, Then::Plain, |host, op| {
        host.start_stream(op, socket.id, made)
    })
}

fn stop(call: &Call<'_, '_>, key: u32) {
    let work = call.state.work.borrow();
    let socket = work.sockets.get(key).map(|socket| socket.id);
    drop(work);
    if let Some(socket) = socket {
        call.host().stop_stream(socket);
    }
}

/// The chunks of audio. Only the first stream of a worker asks the store that all workers share.
fn chunks(call: &Call<'_, '_>, key: (u32, Nanos, bool)) -> Result<Arc<Chunks>> {
    let material = &call.state.material;
    let known = material.chunks.borrow().get(&key).cloned();
    if let Some(known) = known {
        return Ok(known);
    }
    let made = material.data.audio().chunks(key);
    let made = made.map_err(|why| Exception::throw_message(&call.ctx, &why))?;
    material.chunks.borrow_mut().insert(key, Arc::clone(&made));
    Ok(made)
}

fn stated<'js>(ctx: &Ctx<'js>, options: &Value<'js>) -> Result<Stated> {
    let mut stated = Stated {
        chunk: CHUNK,
        every: None,
        template: None,
        repeat: 1,
        in_flight: IN_FLIGHT,
        reply: None,
        first: None,
        last: None,
        timeout: None,
    };
    each(ctx, options, CALL, &KNOWN, |key, value| {
        let what = format!("{CALL}: `{key}`");
        match key {
            "chunk" => stated.chunk = pace(ctx, &value, &what)?,
            "every" => stated.every = Some(pace(ctx, &value, &what)?),
            "as" => stated.template = form(ctx, &value, &what)?,
            "repeat" => stated.repeat = whole(ctx, &value, &what, (1, u32::MAX))?,
            "inFlight" => stated.in_flight = whole(ctx, &value, &what, (1, u32::MAX))?,
            "reply" => stated.reply = Some(reply(ctx, &value)?),
            "results" => each(ctx, &value, &what, &["first", "final"], |key, value| {
                let pattern = Some(pattern(ctx, &value, &format!("{what}: `{key}`"))?);
                if key == "first" {
                    stated.first = pattern;
                } else {
                    stated.last = pattern;
                }
                Ok(())
            })?,
            _ => stated.timeout = Some(span(ctx, &value, &what)?),
        }
        Ok(())
    })?;
    Ok(stated)
}

fn pace<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Nanos> {
    let stated = span(ctx, value, what)?;
    if stated < SHORTEST {
        let refusal = format!("{what} must be at least {SHORTEST}");
        return Err(type_error(ctx, &refusal));
    }
    Ok(stated)
}

fn reply<'js>(ctx: &Ctx<'js>, value: &Value<'js>) -> Result<StreamReply> {
    let mut reply = StreamReply::default();
    let call = format!("{CALL}: `reply`");
    each(ctx, value, &call, &["only", "by"], |key, value| {
        let what = format!("{call}: `{key}`");
        match key {
            "only" => reply.only = pointers_to_any(ctx, &value, &what)?,
            _ => reply.by = Some(pointer(ctx, text(ctx, &value, &what)?, &what)?),
        }
        Ok(())
    })?;
    Ok(reply)
}

fn pattern<'js>(ctx: &Ctx<'js>, value: &Value<'js>, call: &str) -> Result<Pattern> {
    let mut pattern = Pattern::default();
    each(ctx, value, call, &["only", "has"], |key, value| {
        let what = format!("{call}: `{key}`");
        match key {
            "only" => pattern.only = pointers_to_any(ctx, &value, &what)?,
            _ => pattern.has = Some(pointer(ctx, text(ctx, &value, &what)?, &what)?),
        }
        Ok(())
    })?;
    Ok(pattern)
}

/// The form of the messages: `"binary"`, or the JSON text of an object.
fn form<'js>(ctx: &Ctx<'js>, value: &Value<'js>, what: &str) -> Result<Option<Template>> {
    let form = text(ctx, value, what)?;
    if form == "binary" {
        return Ok(None);
    }
    if !form.contains(BASE64) {
        let refusal = format!(
            "{what} must be \"binary\", or an object with `audio.base64` in the place of the chunk"
        );
        return Err(type_error(ctx, &refusal));
    }
    let template = template(&form);
    if template.0.len() > MOST_PIECES {
        let refusal = format!("{what} has too many places for the chunk and its number");
        return Err(type_error(ctx, &refusal));
    }
    Ok(Some(template))
}

/// Divides a JSON text at the places of the chunk and its number. A number that is a value of its own is not quoted.
fn template(json: &str) -> Template {
    let mut pieces = Vec::new();
    let quoted = format!("\"{NUMBER}\"");
    let json = json.replace(&quoted, NUMBER);
    let mut rest = json.as_str();
    while let Some(at) = rest.find("{{headcount:") {
        let (before, behind) = rest.split_at(at);
        if !before.is_empty() {
            pieces.push(Piece::Text(before.to_owned()));
        }
        if let Some(behind) = behind.strip_prefix(BASE64) {
            pieces.push(Piece::Chunk);
            rest = behind;
        } else if let Some(behind) = behind.strip_prefix(NUMBER) {
            pieces.push(Piece::Number);
            rest = behind;
        } else {
            break;
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    Template(pieces)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_the_chunk_and_its_number_divide_the_text() {
        let text = |text: &str| Piece::Text(text.to_owned());
        let json = r#"{"n":"{{headcount:number}}","d":"data:;base64,{{headcount:base64}}"}"#;
        let expected = vec![
            text(r#"{"n":"#),
            Piece::Number,
            text(r#","d":"data:;base64,"#),
            Piece::Chunk,
            text(r#""}"#),
        ];
        assert_eq!(template(json), Template(expected));
        let json = r#"{"id":"c-{{headcount:number}}"}"#;
        let expected = vec![text(r#"{"id":"c-"#), Piece::Number, text(r#""}"#)];
        assert_eq!(template(json), Template(expected));
    }
}
