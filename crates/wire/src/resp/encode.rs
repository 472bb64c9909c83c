use crate::decimal;

/// Appends a command with its arguments. The first argument is the command's name.
pub fn encode_command<'a>(
    out: &mut Vec<u8>,
    arguments: impl IntoIterator<Item = &'a [u8], IntoIter: ExactSizeIterator>,
) {
    let arguments = arguments.into_iter();
    push_line(out, b'*', arguments.len());
    for argument in arguments {
        push_line(out, b'$', argument.len());
        out.extend_from_slice(argument);
        out.extend_from_slice(b"\r\n");
    }
}

fn push_line(out: &mut Vec<u8>, letter: u8, number: usize) {
    out.push(letter);
    decimal::push(out, number as u64);
    out.extend_from_slice(b"\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_an_array_of_blobs() {
        let mut out = Vec::new();
        encode_command(&mut out, [b"SET".as_slice(), b"k\r\n", b""]);
        assert_eq!(out, b"*3\r\n$3\r\nSET\r\n$3\r\nk\r\n\r\n$0\r\n\r\n");
    }
}
