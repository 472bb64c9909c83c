use memchr::memchr;

use crate::crc16::crc16;

/// The number of slots of a cluster.
pub const SLOTS: u16 = 16384;

/// The slot of a key. If the key contains a hash tag (`{…}`, not empty), only the tag counts, so that keys of one tag
/// share a slot.
pub fn slot(key: &[u8]) -> u16 {
    crc16(tag(key).unwrap_or(key)) % SLOTS
}

/// The text between the first `{` and the first `}` after it.
fn tag(key: &[u8]) -> Option<&[u8]> {
    let rest = &key[memchr(b'{', key)? + 1..];
    let tag = &rest[..memchr(b'}', rest)?];
    (!tag.is_empty()).then_some(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_cluster_specification() {
        assert_eq!(slot(b"123456789"), 0x31c3 % SLOTS);
        assert_eq!(slot(b"{user1000}.following"), slot(b"{user1000}.followers"));
        assert_eq!(slot(b"{user1000}.following"), slot(b"user1000"));
        assert_eq!(slot(b"foo{}{bar}"), crc16(b"foo{}{bar}") % SLOTS);
        assert_eq!(slot(b"foo{{bar}}zap"), slot(b"{bar"));
        assert_eq!(slot(b"foo{bar}{zap}"), slot(b"bar"));
        assert_eq!(slot(b"foo{bar"), crc16(b"foo{bar") % SLOTS);
        assert_eq!(slot(b""), 0);
    }
}
