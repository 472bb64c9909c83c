//! Parses the encoding of Yjs (lib0, version 1) from untrusted input. Counts that exceed the remaining bytes are
//! refused, and so are values nested more than 100 levels deep.

use serde::de::IgnoredAny;

use super::error::UpdateError;
use super::id::Id;

/// Maximum nesting depth of values (arrays and maps), also of those in JSON.
pub(super) const VALUE_DEPTH: usize = 100;
/// Maximum clock, because clients use signed 32-bit clocks.
pub(super) const MAX_CLOCK: u64 = i32::MAX as u64;
/// Maximum client id, the largest integer that JavaScript represents exactly.
const MAX_CLIENT: u64 = (1 << 53) - 1;

pub(super) type Read<T> = Result<T, UpdateError>;

/// Parses from the front of the remaining bytes.
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    pub(super) fn byte(&mut self) -> Read<u8> {
        let (first, rest) = self.0.split_first().ok_or(UpdateError::Malformed)?;
        self.0 = rest;
        Ok(*first)
    }

    pub(super) fn bytes(&mut self, length: usize) -> Read<&'a [u8]> {
        let (bytes, rest) = self
            .0
            .split_at_checked(length)
            .ok_or(UpdateError::Malformed)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Reads a variable-length integer, least significant bits first. Refuses values above `max`.
    pub(super) fn number(&mut self, max: u64) -> Read<u64> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return if number <= max {
                    Ok(number)
                } else {
                    Err(UpdateError::Malformed)
                };
            }
        }
        Err(UpdateError::Malformed)
    }

    /// Reads the number of elements. Each element takes at least one byte, so larger counts are refused.
    pub(super) fn count(&mut self) -> Read<usize> {
        let count = self.number(self.0.len() as u64)?;
        usize::try_from(count).map_err(|_| UpdateError::Malformed)
    }

    pub(super) fn client(&mut self) -> Read<u64> {
        self.number(MAX_CLIENT)
    }

    pub(super) fn clock(&mut self) -> Read<u32> {
        let clock = self.number(MAX_CLOCK)?;
        u32::try_from(clock).map_err(|_| UpdateError::Malformed)
    }

    pub(super) fn id(&mut self) -> Read<Id> {
        Ok(Id {
            client: self.client()?,
            clock: self.clock()?,
        })
    }

    pub(super) fn buffer(&mut self) -> Read<&'a [u8]> {
        let length = self.count()?;
        self.bytes(length)
    }

    pub(super) fn string(&mut self) -> Read<&'a str> {
        str::from_utf8(self.buffer()?).map_err(|_| UpdateError::Malformed)
    }

    /// Skips a string of JSON. Clients parse it, so a room could not be opened with a string that is not JSON.
    pub(super) fn json(&mut self) -> Read<()> {
        let text = self.string()?;
        serde_json::from_str::<IgnoredAny>(text).map_err(|_| UpdateError::Malformed)?;
        if nesting(text) > VALUE_DEPTH {
            return Err(UpdateError::TooNested);
        }
        Ok(())
    }

    /// Returns the bytes that `read` consumes.
    pub(super) fn raw(&mut self, read: impl FnOnce(&mut Self) -> Read<()>) -> Read<&'a [u8]> {
        let before = self.0;
        read(self)?;
        Ok(&before[..before.len() - self.0.len()])
    }

    /// Skips the definition of a shared type.
    pub(super) fn shared_type(&mut self) -> Read<()> {
        match self.byte()? {
            // Array, map, text, XML fragment, XML text and undefined.
            0..=2 | 4 | 6 | 15 => Ok(()),
            // XML elements and hooks have names.
            3 | 5 => self.string().map(drop),
            _ => Err(UpdateError::Malformed),
        }
    }

    /// Skips `count` values.
    pub(super) fn values(&mut self, count: usize) -> Read<()> {
        (0..count).try_for_each(|_| self.value(VALUE_DEPTH))
    }

    fn value(&mut self, depth: usize) -> Read<()> {
        match self.byte()? {
            // Null, undefined, true and false.
            120 | 121 | 126 | 127 => Ok(()),
            // An integer, whose first byte also holds the sign.
            125 => {
                for _ in 0..9 {
                    if self.byte()? < 0x80 {
                        return Ok(());
                    }
                }
                Err(UpdateError::Malformed)
            }
            124 => self.bytes(4).map(drop),
            122 | 123 => self.bytes(8).map(drop),
            119 => self.string().map(drop),
            116 => self.buffer().map(drop),
            kind @ (117 | 118) => {
                let depth = depth.checked_sub(1).ok_or(UpdateError::TooNested)?;
                for _ in 0..self.count()? {
                    if kind == 118 {
                        self.string()?;
                    }
                    self.value(depth)?;
                }
                Ok(())
            }
            _ => Err(UpdateError::Malformed),
        }
    }
}

/// The nesting depth of the arrays and objects in valid JSON. `serde_json` does not limit the depth of skipped values.
fn nesting(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_string, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => in_string = !in_string,
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth -= 1,
            _ => {}
        }
    }
    deepest
}
