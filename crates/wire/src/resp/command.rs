use model::{Fault, FaultKind};

/// What the server sends in response to a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Response {
    /// One reply.
    Reply,
    /// One push of this kind per channel, and a reply only if the command fails.
    Pushes { kind: &'static str, left: usize },
}

/// Commands that are confirmed with pushes. The pushes have the command's name, in lower case.
const SUBSCRIBING: [&str; 3] = ["subscribe", "psubscribe", "ssubscribe"];
const UNSUBSCRIBING: [&str; 3] = ["unsubscribe", "punsubscribe", "sunsubscribe"];

/// Commands after which replies can no longer be matched to commands, each with the reason.
const REFUSED: [(&str, &str); 5] = [
    ("hello", "headcount sends it itself"),
    (
        "monitor",
        "the server would send other clients' commands between the replies",
    ),
    ("psync", "the connection would become that of a replica"),
    ("reset", "the connection would leave RESP3"),
    ("sync", "the connection would become that of a replica"),
];

/// Decides which response a command gets. Commands without a definite response are a fault of the script.
pub(super) fn response(
    name: &[u8],
    arguments: usize,
    first: Option<&[u8]>,
) -> Result<Response, Fault> {
    let is = |command: &&str| name.eq_ignore_ascii_case(command.as_bytes());
    let subscribing = SUBSCRIBING.iter().copied().find(|command| is(command));
    let unsubscribing = UNSUBSCRIBING.iter().copied().find(|command| is(command));
    if let Some(kind) = subscribing.or(unsubscribing) {
        return match arguments {
            // The server replies with an error.
            0 if subscribing.is_some() => Ok(Response::Reply),
            0 => Err(refused(
                kind,
                "name the channels, because the number of confirmations is unknown otherwise",
            )),
            left => Ok(Response::Pushes { kind, left }),
        };
    }
    if let Some((command, reason)) = REFUSED.iter().find(|(command, _)| is(command)) {
        return Err(refused(command, reason));
    }
    if is(&"client") && first.is_some_and(|first| first.eq_ignore_ascii_case(b"reply")) {
        return Err(refused("client reply", "the server would skip replies"));
    }
    Ok(Response::Reply)
}

fn refused(command: &str, reason: &str) -> Fault {
    let name = command.to_ascii_uppercase();
    Fault::script(
        FaultKind::Protocol,
        format!("the Redis command {name} is not possible: {reason}"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(command: &str) -> Result<Response, Fault> {
        let words: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
        response(words[0], words.len() - 1, words.get(1).copied())
    }

    #[test]
    fn subscriptions_are_confirmed_with_pushes() {
        let pushes = |kind, left| Ok(Response::Pushes { kind, left });
        assert_eq!(of("SUBSCRIBE a b"), pushes("subscribe", 2));
        assert_eq!(of("pSubscribe a*"), pushes("psubscribe", 1));
        assert_eq!(of("SUNSUBSCRIBE a"), pushes("sunsubscribe", 1));
        for command in [
            "GET a",
            "SUBSCRIBE",
            "PUBLISH a b",
            "CLIENT ID",
            "REPLY",
            "",
            "SUBSCRIBED a",
        ] {
            assert_eq!(of(command), Ok(Response::Reply), "{command}");
        }
    }

    #[test]
    fn commands_without_a_definite_response_are_refused() {
        for command in [
            "UNSUBSCRIBE",
            "Monitor",
            "RESET",
            "HELLO 2",
            "SYNC",
            "PSYNC ? -1",
            "client Reply OFF",
        ] {
            assert!(
                of(command).unwrap_err().detail.contains("is not possible"),
                "{command}"
            );
        }
    }
}
