/// Cuts the bytes into pieces. `choice`, the first byte of the input, seeds the cuts.
pub(crate) fn pieces(choice: u8, bytes: &[u8]) -> Vec<&[u8]> {
    let mut state = u32::from(choice).wrapping_mul(0x9E37_79B9) | 1;
    let longest = if choice < 64 { 3 } else { 40 };
    let mut rest = bytes;
    let mut pieces = Vec::new();
    while !rest.is_empty() {
        // Xorshift, so that the same input is always cut in the same way.
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        let size = 1 + state as usize % longest;
        let (piece, behind) = rest.split_at(size.min(rest.len()));
        pieces.push(piece);
        rest = behind;
    }
    pieces
}
