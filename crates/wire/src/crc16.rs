//! CRC-16/XMODEM: polynomial 0x1021, initial value 0, most significant bit first. The hash slots of a Redis Cluster and
//! the checksums of NATS keys both use it.

/// The checksums of all single bytes.
const TABLE: [u16; 256] = table();

#[expect(clippy::cast_possible_truncation, reason = "`byte` is below 256")]
const fn table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x8000 == 0 {
                crc << 1
            } else {
                crc << 1 ^ 0x1021
            };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}

/// Returns the checksum.
pub(crate) fn crc16(bytes: &[u8]) -> u16 {
    bytes.iter().fold(0, |crc: u16, byte| {
        crc << 8 ^ TABLE[usize::from((crc >> 8) as u8 ^ byte)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_values_of_the_catalogue() {
        assert_eq!(crc16(b""), 0);
        assert_eq!(crc16(b"A"), 0x58e5);
        assert_eq!(crc16(b"123456789"), 0x31c3);
    }
}
