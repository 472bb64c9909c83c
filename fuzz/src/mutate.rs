use rand_core::{RngCore, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// Maximum length of an input, in bytes.
const LONGEST: usize = 8192;

/// Derives new inputs from existing ones. The same seed gives the same inputs.
#[derive(Debug)]
pub struct Mutator {
    random: Pcg64Mcg,
    words: &'static [&'static str],
}

impl Mutator {
    /// Creates a mutator. `words` are words of the parsed language.
    pub fn new(seed: u64, words: &'static [&'static str]) -> Self {
        Self {
            random: Pcg64Mcg::seed_from_u64(seed),
            words,
        }
    }

    /// Returns a number below `end`, which must not be zero.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.random.next_u64() % (end as u64)).unwrap_or(0)
    }

    /// Returns the next input, derived from a corpus that must not be empty.
    pub fn next(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut input = corpus[self.below(corpus.len())].clone();
        for _ in 0..=self.below(6) {
            self.change(&mut input, corpus);
        }
        input.truncate(LONGEST);
        input
    }

    fn change(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let at = self.below(input.len() + 1);
        let end = at + self.below(input.len() - at + 1).min(64);
        match self.below(9) {
            0 => input.truncate(at),
            1 => drop(input.drain(at..end)),
            2 => {
                let again = input[at..end].to_vec();
                for _ in 0..=self.below(8) {
                    insert(input, at, &again);
                }
            }
            3 if !self.words.is_empty() => {
                let word = self.words[self.below(self.words.len())];
                insert(input, at, word.as_bytes());
            }
            4 => {
                const DIGITS: [&str; 8] = [
                    "0",
                    "-1",
                    "1e308",
                    "18446744073709551616",
                    "9",
                    "0.0",
                    "ffffffffffffffff",
                    "4294967295",
                ];
                let number = DIGITS[self.below(DIGITS.len())];
                input.splice(at..end.min(at + 3), number.bytes());
            }
            5 => {
                let other = &corpus[self.below(corpus.len())];
                let from = self.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            6 => {
                let byte = self.random.next_u32().to_le_bytes()[0];
                insert(input, at, &[byte]);
            }
            _ => {
                let bits = self.random.next_u32().to_le_bytes();
                if let Some(byte) = input.get_mut(at) {
                    *byte = if bits[0] < 128 {
                        *byte ^ (1 << (bits[1] % 8))
                    } else {
                        bits[2]
                    };
                }
            }
        }
    }
}

fn insert(input: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    if input.len() + bytes.len() <= LONGEST {
        input.splice(at..at, bytes.iter().copied());
    }
}
