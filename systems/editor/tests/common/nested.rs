//! Nested updates, encoded by hand in the format of Yjs.

/// An update with `depth` nested arrays.
pub(crate) fn nested_value(depth: usize) -> Vec<u8> {
    let mut update = vec![1, 1, 7, 0, 8, 1, 1, b'v', 1];
    update.extend([117, 1].repeat(depth));
    update.extend([126, 0]);
    update
}

/// An update of client 7 with `count` nested array types.
pub(crate) fn nested_types(count: usize) -> Vec<u8> {
    let mut update = [&[1][..], &number(count), &[7, 0, 7, 1, 1, b'a', 0]].concat();
    for parent in 0..count - 1 {
        update.extend([&[7, 0, 7][..], &number(parent), &[0]].concat());
    }
    update.push(0);
    update
}

/// Deletes the outermost type, and thereby all nested ones.
pub(crate) const DELETES: [u8; 6] = [0, 1, 7, 1, 0, 1];

/// Encodes a variable-length integer.
pub(crate) fn number(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7F).unwrap() | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).unwrap());
    bytes
}
