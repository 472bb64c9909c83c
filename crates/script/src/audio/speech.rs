//! The speech that headcount ships.

use serde::Deserialize;

use super::{Audio, Shape, parse_wav};

/// The sentences one after the other. `crates/script/speech/make.sh` made it.
const WAV: &[u8] = include_bytes!("../../speech/speech.wav");
const MANIFEST: &str = include_str!("../../speech/manifest.json");

#[derive(Deserialize)]
struct Sentence {
    text: String,
    /// Position of the first sample, and of the one behind the last.
    start: usize,
    end: usize,
}

/// One sentence with its text, counted from 1. The error states the highest number.
pub(super) fn sentence(number: u32) -> Result<Audio, String> {
    let sentences = sentences()?;
    let index = (number as usize).checked_sub(1);
    let Some(sentence) = index.and_then(|index| sentences.get(index)) else {
        let most = sentences.len();
        return Err(format!(
            "there is no sentence {number}; choose one from 1 to {most}"
        ));
    };
    let all = parse_wav(WAV)?;
    let frame = all.shape.frame();
    let samples = all
        .samples
        .get(sentence.start * frame..sentence.end * frame);
    let damaged = || "the manifest of the shipped speech does not fit the audio".to_owned();
    let mut audio = Audio::new(all.shape, samples.ok_or_else(damaged)?.to_vec());
    audio.text.clone_from(&sentence.text);
    Ok(audio)
}

/// The number of sentences.
pub(super) fn count() -> Result<u32, String> {
    let count = sentences()?.len();
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The shape of the shipped speech, which generated audio has by default.
pub(super) const SHAPE: Shape = Shape {
    rate: 16_000,
    channels: 1,
};

fn sentences() -> Result<Vec<Sentence>, String> {
    serde_json::from_str(MANIFEST).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sentence_has_its_text_and_sound() {
        let count = count().unwrap();
        assert_eq!(count, 8);
        for number in 1..=count {
            let audio = sentence(number).unwrap();
            assert_eq!(audio.shape, SHAPE);
            assert!(audio.text.ends_with('.'), "{}", audio.text);
            assert!((1.0..5.0).contains(&audio.seconds()), "{number}");
            let samples = audio.samples.chunks_exact(2);
            let loudest =
                samples.map(|sample| i16::from_le_bytes([sample[0], sample[1]]).unsigned_abs());
            assert!(loudest.max() > Some(8_000), "{number}");
        }
        assert!(sentence(9).unwrap_err().contains("from 1 to 8"));
        assert!(sentence(0).is_err());
    }
}
