//! Finds protocols that are named outside of their own files. A new protocol touches its own files and the registrations.

use super::complaint::Complaint;
use super::reach::reached;
use super::repository::Repository;

/// The folders that are checked.
const FOLDERS: &[&str] = &[
    "crates/wire/src/",
    "crates/engine/src/",
    "crates/script/src/",
];

/// The protocols that must not be named elsewhere.
const PROTOCOLS: &[&str] = &["nats", "redis", "socketio", "sse"];

/// Names of files and folders that belong to a protocol without naming it.
const OWN: &[&str] = &["events", "resp"];

/// The files that register the protocols of a crate, and a benchmark.
const REGISTRATIONS: &[&str] = &[
    "crates/engine/src/arrival/counted.rs",
    "crates/engine/src/registry.rs",
    "crates/script/src/registry.rs",
    "crates/wire/src/registry.rs",
];

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let reached = reached(repository);
    let mut complaints = Vec::new();
    for (path, source) in &repository.sources {
        let Some(rest) = FOLDERS.iter().find_map(|folder| path.strip_prefix(folder)) else {
            continue;
        };
        let is_test = reached.get(path).copied().unwrap_or(false);
        if is_test || is_own(rest) || REGISTRATIONS.contains(&path.as_str()) {
            continue;
        }
        for (index, (word, line)) in source.words.iter().enumerate() {
            // A protocol's module must be declared somewhere.
            let is_module = index > 0 && source.words[index - 1].0 == "mod";
            if let Some(protocol) =
                named(word).filter(|_| !is_module && !source.is_test_line(*line))
            {
                let message = format!(
                    "`{word}` names the protocol {protocol}: move what only it needs to its own files, behind a method of a \
                     trait"
                );
                complaints.push(Complaint::at(path, *line, message));
            }
        }
    }
    complaints
}

/// Whether a file belongs to a protocol. The path is relative to the sources of the crate.
fn is_own(path: &str) -> bool {
    let mut parts = path.trim_end_matches(".rs").split('/');
    parts.any(|part| OWN.contains(&part) || named(part).is_some())
}

/// The protocol in an identifier, or in a string that could be one.
fn named(word: &str) -> Option<&'static str> {
    let word = word.trim_matches('"');
    if !word.chars().all(|c| c.is_alphanumeric() || c == '_') {
        return None;
    }
    let parts = parts(word);
    let pairs = parts.windows(2).map(<[String]>::concat);
    let mut all = parts.iter().cloned().chain(pairs);
    all.find_map(|part| PROTOCOLS.iter().copied().find(|protocol| *protocol == part))
}

/// The words of an identifier in snake case or camel case, in lower case.
fn parts(word: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut was_lower = false;
    for c in word.chars() {
        if c == '_' || was_lower && c.is_uppercase() {
            parts.push(String::new());
        }
        was_lower = c.is_lowercase();
        if c != '_'
            && let Some(part) = parts.last_mut()
        {
            part.extend(c.to_lowercase());
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{is_own, named};

    #[test]
    fn a_protocol_is_found_in_whole_words_of_an_identifier() {
        for (word, protocol) in [
            ("NatsLink", Some("nats")),
            ("is_redis", Some("redis")),
            ("REDIS_PORT", Some("redis")),
            ("open_socketio", Some("socketio")),
            ("SocketIoCall", Some("socketio")),
            ("SOCKET_IO", Some("socketio")),
            ("Sse", Some("sse")),
            ("\"nats\"", Some("nats")),
            ("\"user.nats(…)\"", None),
            ("messages", None),
            ("passed", None),
            ("SocketId", None),
            ("natives", None),
        ] {
            assert_eq!(named(word), protocol, "{word}");
        }
    }

    #[test]
    fn a_file_belongs_to_the_protocol_in_its_path() {
        for path in [
            "nats.rs",
            "net/socket/redis/cluster.rs",
            "audience/socketio.rs",
            "resp/parser.rs",
            "api/events.rs",
        ] {
            assert!(is_own(path), "{path}");
        }
        for path in ["react.rs", "net/socket.rs", "socket/state.rs"] {
            assert!(!is_own(path), "{path}");
        }
    }
}
