//! Updates that nest, written by hand as the encoding of Yjs is described.

/// An array in arrays, `depth` of them, in one update.
pub(crate) fn nested_value(depth: usize) -> Vec<u8> {
    let mut update = vec![1, 1, 7, 0, 8, 1, 1, b'v', 1];
    update.extend([117, 1].repeat(depth));
    update.extend([126, 0]);
    update
}

/// Arrays, each inside of the one before, by client 7.
pub(crate) fn nested_types(count: usize) -> Vec<u8> {
    let mut update = [&[1][..], &number(count), &[7, 0, 7, 1, 1, b'a', 0]].concat();
    for parent in 0..count - 1 {
        update.extend([&[7, 0, 7][..], &number(parent), &[0]].concat());
    }
    update.push(0);
    update
}

/// Deletes the first of them, and all with it.
pub(crate) const DELETES: [u8; 6] = [0, 1, 7, 1, 0, 1];

/// A number of variable length.
pub(crate) fn number(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7F).unwrap() | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).unwrap());
    bytes
}
