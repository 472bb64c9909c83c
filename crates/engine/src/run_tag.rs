//! A few letters that distinguish the users and groups of one run from those of other runs.

/// Number of letters. The probability that any two of 1,000 runs on one target share a tag is 0.2 %.
const LETTERS: usize = 6;

/// The tag of a run. It is derived from the seed, so that runs with the same seed have the same names.
pub(crate) fn run_tag(seed: u64) -> String {
    let mut rest = mixed(seed);
    let letters = (0..LETTERS).map(|_| {
        let letter = b'a' + u8::try_from(rest % 26).unwrap_or(0);
        rest /= 26;
        char::from(letter)
    });
    letters.collect()
}

/// `SplitMix64`: neighbouring seeds get unrelated tags.
fn mixed(seed: u64) -> u64 {
    let mut mixed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::run_tag;

    #[test]
    fn a_tag_repeats_with_its_seed_and_differs_between_seeds() {
        assert_eq!(run_tag(7), run_tag(7));
        let tags: HashSet<String> = (0..1000).map(run_tag).collect();
        assert_eq!(tags.len(), 1000);
        let is_tag = |tag: &String| tag.len() == 6 && tag.bytes().all(|b| b.is_ascii_lowercase());
        assert!(tags.iter().all(is_tag));
    }
}
