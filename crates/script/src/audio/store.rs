use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use model::Nanos;

use super::{Audio, Chunks, Shape, speech};

/// Silence between the sentences of the shipped speech, and after the last.
const PAUSE: Nanos = Nanos::from_millis(700);

/// A source of audio. Equal sources are read once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Source {
    /// A file. Raw samples have a shape; a WAV file states its own.
    File(String, Option<Shape>),
    Silence(Nanos, Shape),
    Noise(Nanos, Shape),
    /// The sentence with this number. `None`: all of them, with pauses.
    Speech(Option<u32>),
    /// These sources one after the other.
    Joined(Vec<u32>),
}

/// The audio that the modules of a scenario use, and its chunks. The first worker that needs a source makes it.
#[derive(Debug, Default)]
pub(crate) struct AudioStore(Mutex<Made>);

#[derive(Debug, Default)]
struct Made {
    list: Vec<Arc<Audio>>,
    index: HashMap<Source, u32>,
    chunks: HashMap<ChunksKey, Arc<Chunks>>,
}

/// The number of the audio, the length of a chunk, and whether it is base64.
pub(crate) type ChunksKey = (u32, Nanos, bool);

impl AudioStore {
    /// Returns the number of a source, and the audio. `read` reads a file.
    pub(crate) fn open(
        &self,
        source: Source,
        read: impl FnOnce(&str, Option<Shape>) -> Result<Audio, String>,
    ) -> Result<(u32, Arc<Audio>), String> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = made.index.get(&source) {
            return made.audio(known).map(|audio| (known, audio));
        }
        let audio = match &source {
            Source::File(path, shape) => read(path, *shape)?,
            Source::Silence(span, shape) => Audio::silence(*shape, *span),
            Source::Noise(span, shape) => Audio::noise(*shape, *span),
            Source::Speech(Some(number)) => speech::sentence(*number)?,
            Source::Speech(None) => all_speech()?,
            Source::Joined(parts) => made.joined(parts)?,
        };
        if audio.is_empty() {
            return Err("the audio is empty".to_owned());
        }
        let (number, audio) = (made.next(), Arc::new(audio));
        made.list.push(Arc::clone(&audio));
        made.index.insert(source, number);
        Ok((number, audio))
    }

    /// The chunks of a source.
    pub(crate) fn chunks(&self, key: ChunksKey) -> Result<Arc<Chunks>, String> {
        let mut made = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made.chunks.get(&key) {
            return Ok(Arc::clone(known));
        }
        let (number, length, base64) = key;
        let audio = made.audio(number)?;
        let chunks = Arc::new(Chunks::new(&audio, length, base64));
        made.chunks.insert(key, Arc::clone(&chunks));
        Ok(chunks)
    }
}

impl Made {
    fn next(&self) -> u32 {
        u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }

    fn audio(&self, number: u32) -> Result<Arc<Audio>, String> {
        let audio = self.list.get(number as usize).cloned();
        audio.ok_or_else(|| "there is no such audio".to_owned())
    }

    fn joined(&self, parts: &[u32]) -> Result<Audio, String> {
        let parts = parts.iter().map(|&part| self.audio(part));
        let parts = parts.collect::<Result<Vec<_>, String>>()?;
        Audio::joined(&parts).ok_or_else(|| {
            let each = parts.iter().map(|part| part.shape);
            let each = each.map(|shape| format!("{} Hz × {}", shape.rate, shape.channels));
            format!(
                "all parts need the same sample rate and channels, not {}",
                each.collect::<Vec<_>>().join(" and ")
            )
        })
    }
}

fn all_speech() -> Result<Audio, String> {
    let pause = Arc::new(Audio::silence(speech::SHAPE, PAUSE));
    let mut parts = Vec::new();
    for number in 1..=speech::count()? {
        parts.extend([Arc::new(speech::sentence(number)?), Arc::clone(&pause)]);
    }
    Audio::joined(&parts).ok_or_else(|| "there is no speech".to_owned())
}

impl Source {
    /// The shape of generated audio if the script states none.
    pub(crate) const SHAPE: Shape = speech::SHAPE;
}
