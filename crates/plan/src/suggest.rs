//! Suggestions for misspelt words: the nearest known word.

/// The known word that `given` was probably meant to be.
pub(crate) fn nearest<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    known
        .iter()
        .map(|word| (distance(given, word), *word))
        .filter(|(distance, word)| *distance <= allowed(word))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, word)| word)
}

/// The operation name that `given` was probably meant to be. `given` may also be a truncated name: `GET /dely` for `GET
/// /delay/20ms`.
pub fn nearest_name<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    nearest(given, known).or_else(|| {
        let length = given.chars().count();
        let beginnings = (length..=length + 1).flat_map(|length| {
            known.iter().map(move |name| {
                let end = name
                    .char_indices()
                    .nth(length)
                    .map_or(name.len(), |(at, _)| at);
                (*name, &name[..end])
            })
        });
        beginnings
            .map(|(name, beginning)| (distance(given, beginning), name, beginning))
            .filter(|(distance, _, beginning)| *distance <= allowed(beginning))
            .min_by_key(|(distance, ..)| *distance)
            .map(|(_, name, _)| name)
    })
}

fn distance(given: &str, known: &str) -> usize {
    strsim::damerau_levenshtein(&simplified(given), &simplified(known))
}

/// Retired words with their current names.
const RETIRED: [(&str, &str); 4] = [
    ("hold", "duration"),
    ("strayed", "misdelivered"),
    ("exchange", "roundTrip"),
    ("exchanges", "roundTrips"),
];

/// Words of other tools with ours.
const OTHER_TOOLS: [(&str, &str); 11] = [
    ("vus", "users"),
    ("concurrency", "users"),
    ("http_req_duration", "requests"),
    ("http_req_failed", "requests"),
    ("http_reqs", "requests"),
    ("iteration_duration", "iterations"),
    ("dropped_iterations", "iterations"),
    ("med", "p50"),
    ("p(90)", "p90"),
    ("p(95)", "p95"),
    ("p(99)", "p99"),
];

/// ``did you mean `duration`?`` or, if no known word is close, the list of known words.
pub(crate) fn hint(given: &str, known: &[&str]) -> String {
    let renamed = RETIRED
        .iter()
        .find(|(old, new)| *old == given && known.contains(new));
    if let Some((_, new)) = renamed {
        return format!("it is now called `{new}`");
    }
    let elsewhere = OTHER_TOOLS
        .iter()
        .find(|(theirs, ours)| *theirs == given && known.contains(ours));
    if let Some((_, ours)) = elsewhere {
        return format!("did you mean `{ours}`?");
    }
    match nearest(given, known) {
        Some(word) => format!("did you mean `{word}`?"),
        None => format!("possible names are {}", listed(known)),
    }
}

/// `` `a`, `b` and `c` ``.
pub(crate) fn listed(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// The word in lower case and without separators. It is cut to 40 characters, because the distance takes quadratic
/// time.
fn simplified(word: &str) -> String {
    word.chars()
        .filter(|c| !matches!(c, '_' | '-' | ' '))
        .flat_map(char::to_lowercase)
        .take(40)
        .collect()
}

/// The maximum distance: a third of the letters, at least one and at most three.
fn allowed(word: &str) -> usize {
    (word.len() / 3).clamp(1, 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_is_found_and_far_ones_are_not() {
        let known = ["duration", "ramp", "firstByte", "users"];
        assert_eq!(nearest("duratoin", &known), Some("duration"));
        assert_eq!(nearest("first_byte", &known), Some("firstByte"));
        assert_eq!(nearest("user", &known), Some("users"));
        assert_eq!(nearest("banana", &known), None);
        assert_eq!(nearest("", &known), None);
        assert_eq!(hint("x", &["a1", "b2"]), "possible names are `a1` and `b2`");
    }

    #[test]
    fn the_beginning_of_a_name_is_enough() {
        let known = ["GET /delay/20ms", "POST /chat/:room"];
        let check = |given, name| assert_eq!(nearest_name(given, &known), name, "{given}");
        check("GET /dely", Some("GET /delay/20ms"));
        check("GET /delay", Some("GET /delay/20ms"));
        check("POST /chat/:rom", Some("POST /chat/:room"));
        check("DELETE /everything", None);
        assert_eq!(nearest_name("x", &[]), None);
        assert_eq!(nearest_name("ä", &["äöü"]), Some("äöü"));
    }

    #[test]
    fn a_retired_word_is_answered_with_the_new_one() {
        assert_eq!(hint("hold", &["duration"]), "it is now called `duration`");
        assert_eq!(
            hint("hold", &["a1"]),
            "possible names are `a1`",
            "where it has a new one"
        );
    }
}
