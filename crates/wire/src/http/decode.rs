use std::io::Read;

use model::Fault;

use crate::fault::{above_limit, protocol};

/// The compression of a body (`Content-Encoding`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// No compression, or a coding that the request did not offer. The body is returned unchanged.
    Plain,
    Gzip,
    Deflate,
    Brotli,
}

impl Coding {
    pub(crate) fn from_header(value: &[u8]) -> Self {
        match value.trim_ascii().to_ascii_lowercase().as_slice() {
            b"gzip" | b"x-gzip" => Self::Gzip,
            b"deflate" => Self::Deflate,
            b"br" => Self::Brotli,
            _ => Self::Plain,
        }
    }
}

/// Decompresses a body. A result above `limit` bytes is a fault, so that a small body cannot fill the memory.
pub(crate) fn decode(coding: Coding, body: Vec<u8>, limit: usize) -> Result<Vec<u8>, Fault> {
    if body.is_empty() {
        return Ok(body);
    }
    let bytes = body.as_slice();
    match coding {
        Coding::Plain => Ok(body),
        Coding::Gzip => unfold("gzip", flate2::read::MultiGzDecoder::new(bytes), limit),
        // RFC 9110 §8.4.1.2: deflate means the zlib format, but some servers send the raw stream. A zlib header has
        // 8 in the low half of its first byte.
        Coding::Deflate if bytes[0] & 0x0f == 8 => {
            unfold("deflate", flate2::read::ZlibDecoder::new(bytes), limit)
        }
        Coding::Deflate => unfold("deflate", flate2::read::DeflateDecoder::new(bytes), limit),
        Coding::Brotli => {
            let decoder = brotli_decompressor::Decompressor::new(bytes, 4096);
            unfold("brotli", decoder, limit)
        }
    }
}

fn unfold(name: &str, decoder: impl Read, limit: usize) -> Result<Vec<u8>, Fault> {
    let mut body = Vec::new();
    // Reads one byte more than allowed, to distinguish a body at the limit from a larger one.
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    decoder
        .take(most)
        .read_to_end(&mut body)
        .map_err(|error| protocol(format!("the body is not valid {name}: {error}")))?;
    if body.len() > limit {
        return Err(above_limit("the decompressed body", limit));
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use model::FaultKind;

    use super::*;

    const TEXT: &[u8] = b"the same, the same, the same, the same, the same again";
    /// Made by Google's encoder 1.1.0, as Node's `zlib.brotliCompressSync` calls it.
    const TWENTY_BROTLI: &[u8] = &[
        0x1b, 0x13, 0x00, 0xf8, 0xa5, 0xc2, 0xc4, 0x82, 0x84, 0x00, 0x00, 0x1e,
    ];

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn each_coding_is_undone() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(TEXT).unwrap();
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::default());
        bare.write_all(TEXT).unwrap();
        let undone = |coding, body| decode(coding, body, 1000).unwrap();
        assert_eq!(undone(Coding::Gzip, gzip(TEXT)), TEXT);
        assert_eq!(undone(Coding::Deflate, zlib.finish().unwrap()), TEXT);
        assert_eq!(undone(Coding::Deflate, bare.finish().unwrap()), TEXT);
        let twenty = undone(Coding::Brotli, TWENTY_BROTLI.to_vec());
        assert_eq!(twenty, b"aaaaaaaaaabbbbbbbbbb");
        assert_eq!(undone(Coding::Plain, TEXT.to_vec()), TEXT);
        assert_eq!(undone(Coding::Gzip, Vec::new()), b"");
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let bomb = gzip(&vec![0; 1_000_000]);
        let fault = decode(Coding::Gzip, bomb, 1000).unwrap_err();
        assert_eq!(fault.kind, FaultKind::TooLarge);
    }

    #[test]
    fn a_truncated_body_is_a_protocol_fault() {
        let mut short = gzip(TEXT);
        short.truncate(short.len() - 3);
        let fault = decode(Coding::Gzip, short, 1000).unwrap_err();
        assert_eq!(fault.kind, FaultKind::Protocol);
    }
}
