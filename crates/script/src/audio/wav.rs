//! Reads WAV files with 16-bit PCM or 8-bit G.711 µ-law.

use super::{Audio, Shape};

/// Format tags of RIFF (RFC 2361).
const PCM: u16 = 1;
const MU_LAW: u16 = 7;
/// The format is in the first two bytes of the sub-format.
const EXTENSIBLE: u16 = 0xfffe;

/// The format of the samples in a file.
#[derive(Clone, Copy)]
struct Format {
    tag: u16,
    bits: u16,
    shape: Shape,
}

/// Reads a WAV file. Returns the reason if it cannot be used.
pub(crate) fn parse(bytes: &[u8]) -> Result<Audio, String> {
    let not_wav = || "not a WAV file: the beginning `RIFF…WAVE` is missing".to_owned();
    let body = bytes.strip_prefix(b"RIFF").and_then(|rest| rest.get(4..));
    let mut rest = body
        .and_then(|rest| rest.strip_prefix(b"WAVE"))
        .ok_or_else(not_wav)?;
    let mut format = None;
    loop {
        let Some((head, body)) = rest.split_at_checked(8) else {
            return Err("the WAV file has no samples: the chunk `data` is missing".to_owned());
        };
        let size = u32::from_le_bytes([head[4], head[5], head[6], head[7]]) as usize;
        // A file that was written to a pipe states a size beyond its end.
        let content = &body[..size.min(body.len())];
        match (&head[..4], format) {
            (b"fmt ", _) => format = Some(format_of(content)?),
            (b"data", Some(format)) => return samples(format, content),
            (b"data", None) => return Err("the WAV file states no format".to_owned()),
            _ => {}
        }
        // Chunks begin at even offsets.
        rest = body.get(size + size % 2..).unwrap_or_default();
    }
}

fn format_of(content: &[u8]) -> Result<Format, String> {
    let word = |at: usize| {
        let word = content.get(at..at + 2);
        word.map(|word| u16::from_le_bytes([word[0], word[1]]))
    };
    let short = || "the WAV file's format is incomplete".to_owned();
    let tag = match word(0) {
        Some(EXTENSIBLE) => word(24),
        tag => tag,
    };
    let rate = word(4).zip(word(6));
    let rate = rate.map(|(low, high)| (u32::from(high) << 16) | u32::from(low));
    let (tag, channels, rate) = (
        tag.ok_or_else(short)?,
        word(2).ok_or_else(short)?,
        rate.ok_or_else(short)?,
    );
    if channels == 0 || rate == 0 {
        return Err("the WAV file states no channels or no sample rate".to_owned());
    }
    Ok(Format {
        tag,
        bits: word(14).ok_or_else(short)?,
        shape: Shape {
            rate,
            channels: channels.into(),
        },
    })
}

fn samples(format: Format, content: &[u8]) -> Result<Audio, String> {
    let samples = match (format.tag, format.bits) {
        (PCM, 16) => content.to_vec(),
        (MU_LAW, 8) => content
            .iter()
            .flat_map(|byte| expand(*byte).to_le_bytes())
            .collect(),
        (tag, bits) => {
            return Err(format!(
                "the samples have {bits} bits in format {tag}, but must be 16-bit PCM: convert them with \
                 `ffmpeg -i FILE -c:a pcm_s16le NEW.wav`"
            ));
        }
    };
    Ok(Audio::new(format.shape, samples))
}

/// Expands a sample of G.711 µ-law to 16 bits.
fn expand(byte: u8) -> i16 {
    let code = !byte;
    let exponent = (code >> 4) & 7;
    let magnitude = (((i16::from(code & 15) << 3) + 0x84) << exponent) - 0x84;
    if code & 0x80 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with these chunks.
    fn file(chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut file = b"RIFF\0\0\0\0WAVE".to_vec();
        for (name, content) in chunks {
            file.extend_from_slice(*name);
            file.extend_from_slice(&u32::try_from(content.len()).unwrap().to_le_bytes());
            file.extend_from_slice(content);
            file.extend(std::iter::repeat_n(0, content.len() % 2));
        }
        file
    }

    fn format(tag: u16, channels: u16, rate: u32, bits: u16) -> Vec<u8> {
        let frame = channels * bits / 8;
        let bytes = rate * u32::from(frame);
        let parts: [&[u8]; 6] = [
            &tag.to_le_bytes(),
            &channels.to_le_bytes(),
            &rate.to_le_bytes(),
            &bytes.to_le_bytes(),
            &frame.to_le_bytes(),
            &bits.to_le_bytes(),
        ];
        parts.concat()
    }

    #[test]
    fn reads_samples_behind_other_chunks() {
        let format = format(1, 2, 44_100, 16);
        let chunks: [(&[u8; 4], &[u8]); 3] = [
            (b"LIST", b"odd"),
            (b"fmt ", &format),
            (b"data", &[1, 2, 3, 4, 5]),
        ];
        let audio = parse(&file(&chunks)).unwrap();
        let shape = Shape {
            rate: 44_100,
            channels: 2,
        };
        assert_eq!((audio.shape, &*audio.samples), (shape, &[1, 2, 3, 4][..]));
    }

    /// Values from table 2b of ITU-T G.711, scaled from 14 to 16 bits.
    #[test]
    fn expands_mu_law() {
        let expected = [
            (0x80, 32_124),
            (0x00, -32_124),
            (0xff, 0),
            (0x8f, 16_764),
            (0xef, 120 + 12),
        ];
        for (byte, sample) in expected {
            assert_eq!(expand(byte), sample, "{byte:#x}");
        }
    }

    #[test]
    fn refuses_other_files_with_the_reason() {
        let refusal = |bytes: &[u8]| parse(bytes).unwrap_err();
        assert!(refusal(b"ID3").starts_with("not a WAV file"));
        assert!(refusal(&file(&[])).contains("no samples"));
        let float = format(3, 1, 16_000, 32);
        let float = refusal(&file(&[(b"fmt ", &float), (b"data", &[0; 4])]));
        assert!(float.contains("16-bit PCM"), "{float}");
        let whole = file(&[(b"fmt ", &format(1, 1, 8_000, 16)), (b"data", &[0; 8])]);
        for end in 0..whole.len() {
            let _ = parse(&whole[..end]); // must not panic
        }
    }
}
