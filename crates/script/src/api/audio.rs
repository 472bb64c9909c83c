//! Sources of audio for streams.

use rquickjs::{Array, Ctx, Exception, Result, Value};

use super::arg::{span, text, type_error, whole};
use super::native::{Call, Natives};
use super::options::{each, unknown};
use crate::audio::{Shape, Source};

const FORMATS: [&str; 2] = ["wav", "s16le"];
/// The highest sample rate, in samples per second.
const MAX_RATE: u32 = 384_000;
const MAX_CHANNELS: u32 = 16;

pub(super) fn install(natives: &Natives<'_>) -> Result<()> {
    natives.add("openAudio", open)?;
    natives.add("joinAudio", join)
}

/// Opens a source. Returns its number, its length in seconds, its rate, its channels and its text.
fn open<'js>(
    call: &Call<'_, 'js>,
    kind: String,
    what: Value<'js>,
    options: Value<'js>,
) -> Result<Array<'js>> {
    let ctx = &call.ctx;
    let source = match kind.as_str() {
        "file" => file(ctx, &what, &options)?,
        "speech" if what.is_undefined() => Source::Speech(None),
        "speech" => {
            let what = whole(ctx, &what, "audio.speech(sentence): the number", (1, 1000))?;
            Source::Speech(Some(what))
        }
        _ => {
            let name = format!("audio.{kind}(length, options)");
            let length = span(ctx, &what, &format!("{name}: the length"))?;
            let known = ["rate", "channels"];
            let shape = shape(ctx, &options, &name, &known)?.unwrap_or(Source::SHAPE);
            if kind == "noise" {
                Source::Noise(length, shape)
            } else {
                Source::Silence(length, shape)
            }
        }
    };
    made(call, source)
}

fn join<'js>(call: &Call<'_, 'js>, parts: Vec<u32>) -> Result<Array<'js>> {
    made(call, Source::Joined(parts))
}

fn made<'js>(call: &Call<'_, 'js>, source: Source) -> Result<Array<'js>> {
    let Call { ctx, state, .. } = call;
    let material = &state.material;
    if !material.loading.get() {
        let message =
            "audio can be made only while the module loads; make this call at the top level";
        return Err(type_error(ctx, message));
    }
    let data = &material.data;
    let opened = data
        .audio()
        .open(source, |path, shape| data.read_audio(path, shape));
    let (number, audio) = opened.map_err(|why| Exception::throw_message(ctx, &why))?;
    let about = Array::new(ctx.clone())?;
    about.set(0, number)?;
    about.set(1, audio.seconds())?;
    about.set(2, audio.shape.rate)?;
    about.set(3, audio.shape.channels)?;
    about.set(4, audio.text.as_str())?;
    Ok(about)
}

/// A WAV file, or a file of raw samples.
fn file<'js>(ctx: &Ctx<'js>, path: &Value<'js>, options: &Value<'js>) -> Result<Source> {
    let name = "audio(path, options)";
    let path = text(ctx, path, &format!("{name}: the path"))?;
    let known = ["format", "rate", "channels"];
    let mut raw = false;
    each(ctx, options, name, &known, |key, value| {
        if key == "format" {
            let format = text(ctx, &value, &format!("{name}: `format`"))?;
            if !FORMATS.contains(&format.as_str()) {
                let message = unknown("value of `format`", &format, &FORMATS);
                return Err(type_error(ctx, &format!("{name}: {message}")));
            }
            raw = format == "s16le";
        }
        Ok(())
    })?;
    let shape = shape(ctx, options, name, &known)?;
    match (raw, shape) {
        (true, Some(shape)) => Ok(Source::File(path, Some(shape))),
        (true, None) => Err(type_error(
            ctx,
            &format!("{name}: `rate` is missing: raw samples do not state their sample rate"),
        )),
        (false, None) => Ok(Source::File(path, None)),
        (false, Some(_)) => Err(type_error(
            ctx,
            &format!(
                "{name}: a WAV file states its rate and channels; for raw samples, add `format: \"s16le\"`"
            ),
        )),
    }
}

/// The options `rate` and `channels`. `None` if neither is set.
fn shape<'js>(
    ctx: &Ctx<'js>,
    options: &Value<'js>,
    name: &str,
    known: &[&str],
) -> Result<Option<Shape>> {
    let (mut rate, mut channels) = (None, None);
    each(ctx, options, name, known, |key, value| {
        let what = format!("{name}: `{key}`");
        match key {
            "rate" => rate = Some(whole(ctx, &value, &what, (1000, MAX_RATE))?),
            "channels" => channels = Some(whole(ctx, &value, &what, (1, MAX_CHANNELS))?),
            _ => {}
        }
        Ok(())
    })?;
    let is_set = rate.is_some() || channels.is_some();
    Ok(is_set.then(|| Shape {
        rate: rate.unwrap_or(Source::SHAPE.rate),
        channels: channels.unwrap_or(Source::SHAPE.channels),
    }))
}
