/// Commands whose first argument is a subcommand or an operation, so that the key follows it.
const CONTAINERS: [&str; 5] = ["BITOP", "MEMORY", "OBJECT", "XGROUP", "XINFO"];

/// Commands with the number of their keys before the keys, and the place of that number.
const NUMBERED: [(&str, usize); 15] = [
    ("EVAL", 2),
    ("EVAL_RO", 2),
    ("EVALSHA", 2),
    ("EVALSHA_RO", 2),
    ("FCALL", 2),
    ("FCALL_RO", 2),
    ("BLMPOP", 2),
    ("BZMPOP", 2),
    ("LMPOP", 1),
    ("ZMPOP", 1),
    ("SINTERCARD", 1),
    ("ZINTERCARD", 1),
    ("ZDIFF", 1),
    ("ZINTER", 1),
    ("ZUNION", 1),
];

/// The first key of a command, which decides the node of a cluster. `None` if it has none. If this is wrong for a command,
/// such as one of a module, the node redirects it.
pub(super) fn key_of<'a>(words: &[&'a [u8]]) -> Option<&'a [u8]> {
    let name = words.first()?;
    let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
    if is("XREAD") || is("XREADGROUP") {
        let streams = |word: &&[u8]| word.eq_ignore_ascii_case(b"STREAMS");
        let at = words.iter().position(streams)?;
        return words.get(at + 1).copied();
    }
    if let Some((_, number)) = NUMBERED.iter().find(|(known, _)| is(known)) {
        let none = words.get(*number).is_some_and(|count| *count == b"0");
        return words.get(number + 1).filter(|_| !none).copied();
    }
    let at = if CONTAINERS.iter().any(|known| is(known)) {
        2
    } else {
        1
    };
    words.get(at).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_where_the_command_has_it() {
        for (command, key) in [
            ("GET a", Some("a")),
            ("set a b", Some("a")),
            ("PING", None),
            ("XGROUP CREATE s g $", Some("s")),
            ("xreadgroup GROUP g c COUNT 1 STREAMS s >", Some("s")),
            ("XREAD COUNT 1", None),
            ("EVAL return 0", None),
            ("EVAL return 2 k l", Some("k")),
            ("LMPOP 2 k l LEFT", Some("k")),
            ("BITOP AND to from", Some("to")),
        ] {
            let words: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
            assert_eq!(key_of(&words), key.map(str::as_bytes), "{command}");
        }
    }
}
