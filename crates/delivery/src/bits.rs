use serde::{Deserialize, Serialize};

/// A set of members of a group. Groups of up to 64 members need no allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Bits {
    /// One bit for each of the members 0 to 63.
    low: u64,
    /// One bit for each member from 64 on, 64 members per word.
    high: Vec<u64>,
}

impl Bits {
    fn place(member: u32) -> (usize, u64) {
        ((member / 64) as usize, 1 << (member % 64))
    }

    /// Adds a member. Returns whether the member was new.
    pub(crate) fn insert(&mut self, member: u32) -> bool {
        let fresh = !self.contains(member);
        let (word, bit) = Self::place(member);
        if word == 0 {
            self.low |= bit;
        } else {
            self.high.resize(word.max(self.high.len()), 0);
            self.high[word - 1] |= bit;
        }
        fresh
    }

    /// Removes a member. Returns whether the member was in the set.
    pub(crate) fn remove(&mut self, member: u32) -> bool {
        let present = self.contains(member);
        let (word, bit) = Self::place(member);
        if present {
            if word == 0 {
                self.low &= !bit;
            } else {
                self.high[word - 1] &= !bit;
            }
        }
        present
    }

    pub(crate) fn contains(&self, member: u32) -> bool {
        let (word, bit) = Self::place(member);
        let found = if word == 0 {
            self.low
        } else {
            self.high.get(word - 1).copied().unwrap_or(0)
        };
        found & bit != 0
    }

    pub(crate) fn count(&self) -> u32 {
        self.words().map(u64::count_ones).sum()
    }

    /// The members in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        members_in(self.words())
    }

    pub(crate) fn intersect(&mut self, other: &Self) {
        self.low &= other.low;
        for (index, word) in self.high.iter_mut().enumerate() {
            *word &= other.high.get(index).copied().unwrap_or(0);
        }
    }

    pub(crate) fn words(&self) -> impl Iterator<Item = u64> + '_ {
        std::iter::once(self.low).chain(self.high.iter().copied())
    }
}

/// The members in these words, in ascending order.
pub(crate) fn members_in(words: impl Iterator<Item = u64>) -> impl Iterator<Item = u32> {
    words.zip(0_u32..).flat_map(|(mut word, index)| {
        std::iter::from_fn(move || {
            (word != 0).then(|| {
                let bit = word.trailing_zeros();
                word &= word - 1;
                index * 64 + bit
            })
        })
    })
}

impl FromIterator<u32> for Bits {
    fn from_iter<I: IntoIterator<Item = u32>>(members: I) -> Self {
        let mut bits = Self::default();
        for member in members {
            bits.insert(member);
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn behaves_like_a_set(steps in prop::collection::vec((any::<bool>(), 0_u32..300), 0..200)) {
            let mut bits = Bits::default();
            let mut set = BTreeSet::new();
            for (add, member) in steps {
                if add {
                    prop_assert_eq!(bits.insert(member), set.insert(member));
                } else {
                    prop_assert_eq!(bits.remove(member), set.remove(&member));
                }
            }
            prop_assert_eq!(bits.count() as usize, set.len());
            prop_assert_eq!(bits.iter().collect::<Vec<_>>(), set.into_iter().collect::<Vec<_>>());
        }

        #[test]
        fn intersects_like_a_set(a in prop::collection::btree_set(0_u32..200, 0..50), b in prop::collection::btree_set(0_u32..200, 0..50)) {
            let mut bits: Bits = a.iter().copied().collect();
            bits.intersect(&b.iter().copied().collect());
            prop_assert_eq!(bits.iter().collect::<Vec<_>>(), a.intersection(&b).copied().collect::<Vec<_>>());
        }
    }
}
