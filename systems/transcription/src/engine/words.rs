use std::sync::atomic::{AtomicU64, Ordering};

/// Common English words.
const WORDS: &str = "\
the of and to in is you that it he was for on are as with his they at be this have from or one had by word but not \
what all were we when your can said there use an each which she do how their if will up other about out many then \
them these so some her would make like him into time has look two more write go see number no way could people my \
than first water been call who oil its now find long down day did get come made may part over new sound take only \
little work know place year live me back give most very after thing our just name good sentence man think say great \
where help through much before line right too mean old any same tell boy follow came want show also around form three \
small set put end does another well large must big even such because turn here why ask went men read need land \
different home us move try kind hand picture again change off play spell air away animal house point page letter \
mother answer found study still learn should world high every near add food between own below country plant last \
school father keep tree never start city earth eye light thought head under story saw left few while along might \
close something seem next hard open example begin life always those both paper together got group often run";

/// Distinguishes the sessions of one process.
static SEED: AtomicU64 = AtomicU64::new(1);

/// Pseudo-random words, different for every stream.
#[derive(Clone, Copy, Debug)]
pub(super) struct Words(u64);

impl Words {
    pub(super) fn new() -> Self {
        // Odd multiples of this constant are well distributed, and never zero.
        Self(
            SEED.fetch_add(2, Ordering::Relaxed)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15),
        )
    }

    pub(super) fn next(&mut self) -> &'static str {
        // xorshift64: the words only have to vary.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        let start = usize::try_from(self.0 >> 33).unwrap_or_default() % WORDS.len();
        // The word after the next space, or the first one at the end of the list.
        let tail = WORDS[start..]
            .split_once(' ')
            .map_or(WORDS, |(_, tail)| tail);
        tail.split(' ').next().unwrap_or(WORDS)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn streams_differ_and_words_vary() {
        let words = || {
            let mut words = Words::new();
            (0..1000).map(|_| words.next()).collect::<Vec<_>>()
        };
        let (one, other) = (words(), words());
        assert_ne!(one, other);
        let distinct: HashSet<_> = one.iter().collect();
        assert!(distinct.len() > 100, "{}", distinct.len());
        assert!(
            one.iter()
                .all(|word| word.chars().all(|c| c.is_ascii_lowercase()))
        );
    }
}
