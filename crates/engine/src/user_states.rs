//! The user states that the members of a group report, and whether they agree.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// A user state, reduced to a length and a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Text {
    bytes: usize,
    digest: u64,
}

/// The user states of one group, keyed by name. For each member, the last reported state is stored.
#[derive(Clone, Debug, Default)]
pub(crate) struct UserStates {
    named: Vec<(String, Vec<Option<Text>>)>,
}

/// Result of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    Converged,
    /// `said` members reported a state. The states are `shortest` to `longest` bytes long.
    Diverged {
        said: usize,
        shortest: usize,
        longest: usize,
    },
    Unknown,
}

impl UserStates {
    pub(crate) fn say(&mut self, name: &str, member: u32, text: &str) {
        let at = self.named.iter().position(|(known, _)| known == name);
        let at = at.unwrap_or_else(|| {
            self.named.push((name.to_owned(), Vec::new()));
            self.named.len() - 1
        });
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let text = Text {
            bytes: text.len(),
            digest: hasher.finish(),
        };
        let (texts, member) = (&mut self.named[at].1, member as usize);
        if texts.len() <= member {
            texts.resize(member + 1, None);
        }
        texts[member] = Some(text);
    }

    /// Compares the members' states under each name. The result is unknown for names that only other groups use.
    pub(crate) fn compare<'a>(
        &'a self,
        members: usize,
        others: impl Iterator<Item = &'a str>,
    ) -> Vec<(&'a str, Agreement)> {
        let own = self.named.iter();
        let own = own.map(|(name, texts)| (name.as_str(), agreement(texts, members)));
        let is_own = |name: &str| self.named.iter().any(|(known, _)| known == name);
        let silent = others.filter(|name| !is_own(name));
        own.chain(silent.map(|name| (name, Agreement::Unknown)))
            .collect()
    }
}

fn agreement(texts: &[Option<Text>], members: usize) -> Agreement {
    let said: Vec<Text> = texts.iter().flatten().copied().collect();
    if said.windows(2).any(|pair| pair[0] != pair[1]) {
        let lengths = || said.iter().map(|text| text.bytes);
        let (shortest, longest) = (lengths().min(), lengths().max());
        return Agreement::Diverged {
            said: said.len(),
            shortest: shortest.unwrap_or_default(),
            longest: longest.unwrap_or_default(),
        };
    }
    if said.len() == members {
        Agreement::Converged
    } else {
        Agreement::Unknown
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_word_of_every_member_counts() {
        let mut held = UserStates::default();
        let agreed = |held: &UserStates| held.compare(3, std::iter::empty())[0].1;
        held.say("document", 0, "a");
        held.say("document", 2, "a");
        assert_eq!(agreed(&held), Agreement::Unknown);
        held.say("document", 1, "abc");
        let diverged = Agreement::Diverged {
            said: 3,
            shortest: 1,
            longest: 3,
        };
        assert_eq!(agreed(&held), diverged);
        held.say("document", 1, "a");
        assert_eq!(agreed(&held), Agreement::Converged);
    }

    #[test]
    fn two_who_differ_have_diverged_whatever_the_third_holds() {
        let mut held = UserStates::default();
        held.say("document", 0, "a");
        held.say("document", 1, "b");
        let found = held.compare(3, ["document", "carets"].into_iter());
        assert!(matches!(
            found[0],
            ("document", Agreement::Diverged { said: 2, .. })
        ));
        assert_eq!(found[1], ("carets", Agreement::Unknown));
    }
}
