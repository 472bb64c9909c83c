//! Packs several updates into one row. Each is preceded by its length as a little-endian 32-bit integer.

/// Appends one update to the row.
pub(super) fn push(row: &mut Vec<u8>, update: &[u8]) {
    let length = u32::try_from(update.len()).unwrap_or(u32::MAX);
    row.extend_from_slice(&length.to_le_bytes());
    row.extend_from_slice(update);
}

/// Returns the updates in a row. A truncated row ends with its last complete update.
pub(super) fn updates(mut row: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::from_fn(move || {
        let (length, rest) = row.split_first_chunk()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        let (update, rest) = rest.split_at_checked(length)?;
        row = rest;
        Some(update)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_packed_comes_out_again(all in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 0..8)) {
            let mut row = Vec::new();
            for update in &all {
                push(&mut row, update);
            }
            prop_assert_eq!(updates(&row).collect::<Vec<_>>(), all);
        }

        #[test]
        fn any_bytes_are_read_without_panic(row in prop::collection::vec(any::<u8>(), 0..64)) {
            let length: usize = updates(&row).map(<[u8]>::len).sum();
            prop_assert!(length <= row.len());
        }
    }
}
