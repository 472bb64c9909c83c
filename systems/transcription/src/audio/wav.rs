use super::format::{AudioError, Format};

/// Maximum size of everything before the samples. Recorders write a few hundred bytes of tags at most.
const LARGEST_HEADER: usize = 64 * 1024;
const RIFF: &[u8] = b"RIFF";
const PCM: u16 = 1;
/// The encoding is stated by an identifier that begins with the actual encoding.
const EXTENSIBLE: u16 = 0xfffe;

/// What the first bytes of a stream are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Begin {
    /// A WAV file: the format of its samples, and the position at which they start.
    Wav(Format, usize),
    /// Samples without a header.
    Raw,
    /// More bytes are needed.
    Incomplete,
}

/// Examines the first bytes of a stream. The sizes that a live recorder could not know yet are ignored: samples last
/// until the stream ends.
pub(super) fn begin(bytes: &[u8]) -> Result<Begin, AudioError> {
    let shared = bytes.len().min(RIFF.len());
    if bytes[..shared] != RIFF[..shared] {
        return Ok(Begin::Raw);
    }
    if bytes.len() >= 12 && &bytes[8..12] != b"WAVE" {
        return Ok(Begin::Raw);
    }
    let mut format = None;
    let mut at = 12;
    while let (Some(name), Some(size)) = (bytes.get(at..at + 4), u32_at(bytes, at + 4)) {
        at += 8;
        if name == b"data" {
            let format: Format = format.ok_or(AudioError::Header)?;
            return Ok(Begin::Wav(format, at));
        }
        let size = usize::try_from(size).map_err(|_| AudioError::Header)?;
        if name == b"fmt " {
            let Some(fields) = bytes.get(at..at.saturating_add(size)) else {
                break;
            };
            format = Some(read_format(fields)?);
        }
        // Chunks are padded to an even size.
        at = at.saturating_add(size).saturating_add(size % 2);
        if at > LARGEST_HEADER {
            return Err(AudioError::Header);
        }
    }
    if bytes.len() > LARGEST_HEADER {
        return Err(AudioError::Header);
    }
    Ok(Begin::Incomplete)
}

fn read_format(fields: &[u8]) -> Result<Format, AudioError> {
    let short = |at| u16_at(fields, at).ok_or(AudioError::Header);
    let mut encoding = short(0)?;
    if encoding == EXTENSIBLE {
        encoding = short(24)?;
    }
    let rate = u32_at(fields, 4).ok_or(AudioError::Header)?;
    let (channels, bits) = (short(2)?, short(14)?);
    if encoding != PCM || bits != 16 {
        return Err(AudioError::Encoding { encoding, bits });
    }
    Format::checked(rate, channels)
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(two.try_into().ok()?))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use hound::{SampleFormat, WavSpec, WavWriter};
    use proptest::prelude::*;

    use super::*;

    fn written(channels: u16, sample_rate: u32, bits: u16) -> Vec<u8> {
        let spec = WavSpec {
            channels,
            sample_rate,
            bits_per_sample: bits,
            sample_format: SampleFormat::Int,
        };
        let mut bytes = Cursor::new(Vec::new());
        let mut writer = WavWriter::new(&mut bytes, spec).unwrap();
        for sample in 0..100 {
            writer.write_sample(sample).unwrap();
        }
        writer.finalize().unwrap();
        bytes.into_inner()
    }

    #[test]
    fn a_header_of_an_independent_writer_is_read_and_every_shorter_one_is_incomplete() {
        let file = written(2, 44_100, 16);
        let format = Format {
            rate: 44_100,
            channels: 2,
        };
        let samples = file.len() - 200;
        assert_eq!(begin(&file), Ok(Begin::Wav(format, samples)));
        for cut in 0..samples {
            assert_eq!(begin(&file[..cut]), Ok(Begin::Incomplete), "{cut} bytes");
        }
    }

    #[test]
    fn other_encodings_and_formats_are_refused() {
        let bits = AudioError::Encoding {
            encoding: PCM,
            bits: 8,
        };
        assert_eq!(begin(&written(1, 16_000, 8)), Err(bits));
        assert_eq!(
            begin(&written(4, 16_000, 16)).unwrap_err(),
            AudioError::Channels(4)
        );
        assert_eq!(begin(&written(1, 4_000, 16)), Err(AudioError::Rate(4_000)));
    }

    #[test]
    fn samples_without_a_header_are_raw() {
        assert_eq!(begin(&[0; 640]), Ok(Begin::Raw));
        assert_eq!(begin(b"RIFFxxxxAVI LIST"), Ok(Begin::Raw));
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_or_refused_without_panic(tail in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = begin(&[b"RIFF\0\0\0\0WAVEfmt ".as_slice(), &tail].concat());
        }
    }
}
