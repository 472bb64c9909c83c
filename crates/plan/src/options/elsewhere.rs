//! Unknown options that have another name or place here.

use super::load;

/// Names from other tools and retired names of our own, each with the current name.
const ELSEWHERE: [(&str, &str); 9] = [
    ("vus", "load.users"),
    ("duration", "load.duration"),
    ("hold", "load.duration"),
    ("baseURL", "target"),
    ("url", "target"),
    ("timeout", "timeouts.total"),
    ("tls", "insecure"),
    ("insecureSkipTLSVerify", "insecure"),
    ("userAgent", "headers"),
];

/// Returns a hint for an unknown option at the top, if the option is known by another name or belongs to `load`.
pub(super) fn hint(key: &str) -> Option<String> {
    if let Some((_, ours)) = ELSEWHERE.iter().find(|(theirs, _)| *theirs == key) {
        return Some(format!("did you mean `{ours}`?"));
    }
    load::KNOWN
        .contains(&key)
        .then(|| format!("did you mean `load.{key}`?"))
}
