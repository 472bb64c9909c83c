//! Cuts of a byte stream, for tests.

use model::Fault;

/// Cuts the bytes at these places, each taken modulo their number.
pub(crate) fn split<'a>(bytes: &'a [u8], cuts: &[usize]) -> Vec<&'a [u8]> {
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places
        .windows(2)
        .map(|pair| &bytes[pair[0]..pair[1]])
        .collect()
}

/// Gives the pieces to a parser, until one is rejected. Returns everything that was read.
pub(crate) fn feed<'a, T>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
    mut on_bytes: impl FnMut(&[u8], &mut Vec<T>) -> Result<(), Fault>,
) -> (Vec<T>, Result<(), Fault>) {
    let mut seen = Vec::new();
    let outcome = pieces
        .into_iter()
        .try_for_each(|piece| on_bytes(piece, &mut seen));
    (seen, outcome)
}
