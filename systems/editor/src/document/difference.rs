//! Differences between two texts, as hunks whose offsets count bytes of the old text.

use dissimilar::Chunk;

/// Maximum size in bytes of the differing ranges of both texts together. Larger ranges are replaced as a whole, because
/// searching them for common parts takes quadratic time.
const SEARCHED: usize = 1024;

/// A hunk, which replaces `remove` bytes at offset `at` of the old text with `insert`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hunk<'a> {
    pub(crate) at: usize,
    pub(crate) remove: usize,
    pub(crate) insert: &'a str,
}

/// The hunks that turn `old` into `new`, in order.
pub(crate) fn hunks<'a>(old: &str, new: &'a str) -> Vec<Hunk<'a>> {
    let Some(hunk) = one(old, new) else {
        return Vec::new();
    };
    let removed = &old[hunk.at..hunk.at + hunk.remove];
    if removed.is_empty() || hunk.insert.is_empty() || removed.len() + hunk.insert.len() > SEARCHED
    {
        return vec![hunk];
    }
    middle(hunk.at, removed, hunk.insert)
}

/// The smallest single hunk that covers all differences. `None` if the texts are equal.
pub(crate) fn one<'a>(old: &str, new: &'a str) -> Option<Hunk<'a>> {
    if old == new {
        return None;
    }
    let begin = common_prefix(old, new);
    let (old_rest, new_rest) = (&old[begin..], &new[begin..]);
    let end = common_suffix(old_rest, new_rest);
    let removed = &old_rest[..old_rest.len() - end];
    let inserted = &new_rest[..new_rest.len() - end];
    Some(Hunk {
        at: begin,
        remove: removed.len(),
        insert: inserted,
    })
}

/// Three-way merge: applies the changes between `base` and `mine` to `theirs`. Where both sides changed the same place,
/// both changes are kept.
pub(crate) fn merge(base: &str, mine: &str, theirs: &str) -> String {
    let (own, foreign) = (hunks(base, mine), hunks(base, theirs));
    let mut merged = theirs.to_owned();
    // Start at the end, so that the offsets of earlier hunks remain valid.
    for hunk in own.iter().rev() {
        let from = moved(hunk.at, &foreign, true);
        let to = moved(hunk.at + hunk.remove, &foreign, hunk.remove == 0).max(from);
        merged.replace_range(from..to, hunk.insert);
    }
    merged
}

/// Converts the offset `at` in the old text to an offset in the new text. If text was inserted at `at`, `behind`
/// selects the end of the insertion instead of its start.
fn moved(at: usize, hunks: &[Hunk<'_>], behind: bool) -> usize {
    let (mut added, mut removed) = (0, 0);
    for hunk in hunks {
        let end = hunk.at + hunk.remove;
        let counts = if behind { hunk.at <= at } else { hunk.at < at };
        if !counts {
            break;
        }
        added += hunk.insert.len();
        removed += end.min(at) - hunk.at;
    }
    at + added - removed
}

fn middle<'a>(begin: usize, removed: &str, inserted: &'a str) -> Vec<Hunk<'a>> {
    let (mut hunks, mut old_at, mut new_at) = (Vec::new(), 0, 0);
    let mut open: Option<(Hunk<'a>, usize)> = None;
    for chunk in dissimilar::diff(removed, inserted) {
        match chunk {
            Chunk::Equal(same) => {
                hunks.extend(open.take().map(|(hunk, _)| hunk));
                old_at += same.len();
                new_at += same.len();
            }
            Chunk::Delete(gone) => {
                let at = Hunk {
                    at: begin + old_at,
                    remove: 0,
                    insert: "",
                };
                open.get_or_insert((at, new_at)).0.remove += gone.len();
                old_at += gone.len();
            }
            Chunk::Insert(came) => {
                let at = Hunk {
                    at: begin + old_at,
                    remove: 0,
                    insert: "",
                };
                let (hunk, from) = open.get_or_insert((at, new_at));
                new_at += came.len();
                hunk.insert = &inserted[*from..new_at];
            }
        }
    }
    hunks.extend(open.map(|(hunk, _)| hunk));
    hunks
}

/// Length of the common prefix in bytes, rounded down to a character boundary.
fn common_prefix(a: &str, b: &str) -> usize {
    let same = a.bytes().zip(b.bytes()).take_while(|(a, b)| a == b).count();
    a.floor_char_boundary(same)
}

/// Length of the common suffix in bytes, rounded down to a character boundary.
fn common_suffix(a: &str, b: &str) -> usize {
    let same = a
        .bytes()
        .rev()
        .zip(b.bytes().rev())
        .take_while(|(a, b)| a == b)
        .count();
    let from = a.ceil_char_boundary(a.len() - same);
    a.len() - from
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn applied(old: &str, hunks: &[Hunk<'_>]) -> String {
        let mut text = old.to_owned();
        for hunk in hunks.iter().rev() {
            text.replace_range(hunk.at..hunk.at + hunk.remove, hunk.insert);
        }
        text
    }

    #[test]
    fn a_letter_that_was_typed_is_all_that_changed() {
        let insert = Hunk {
            at: 3,
            remove: 0,
            insert: "d",
        };
        assert_eq!(hunks("abcef", "abcdef"), [insert]);
    }

    #[test]
    fn letters_of_several_bytes_are_never_cut() {
        let hunk = Hunk {
            at: 1,
            remove: 2,
            insert: "ä",
        };
        assert_eq!(hunks("aöb", "aäb"), [hunk]);
    }

    #[test]
    fn what_stayed_between_two_changes_is_kept() {
        let hunks = hunks("fn one() { first() }", "fn two() { second() }");
        assert!(hunks.len() > 1, "{hunks:?}");
    }

    #[test]
    fn a_long_middle_is_replaced_whole() {
        let (old, new) = ("x".repeat(2000), "y".repeat(2000));
        assert_eq!(hunks(&old, &new).len(), 1);
    }

    #[test]
    fn changes_at_different_places_are_both_kept() {
        let (base, mine, theirs) = ("one two three", "ONE two three", "one two three four");
        assert_eq!(merge(base, mine, theirs), "ONE two three four");
        assert_eq!(merge(base, theirs, mine), "ONE two three four");
    }

    #[test]
    fn changes_at_the_same_place_are_both_kept() {
        assert_eq!(merge("x", "xa", "xb"), "xba");
    }

    #[test]
    fn a_change_by_one_alone_is_all_that_happens() {
        assert_eq!(merge("base", "mine", "base"), "mine");
        assert_eq!(merge("base", "base", "theirs"), "theirs");
    }

    proptest! {
        #[test]
        fn any_three_texts_are_merged_without_panic(base in "[abä€]{0,20}", mine in "[abä€]{0,20}", theirs in "[abä€]{0,20}") {
            let merged = merge(&base, &mine, &theirs);
            prop_assert!(merged.len() <= base.len() + mine.len() + theirs.len());
        }

        #[test]
        fn the_places_turn_the_old_text_into_the_new(old in "[abä€𝄞\n]{0,60}", new in "[abä€𝄞\n]{0,60}") {
            prop_assert_eq!(applied(&old, &hunks(&old, &new)), new);
        }
    }
}
