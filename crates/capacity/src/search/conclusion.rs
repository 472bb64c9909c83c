//! What a search knows, and its answer.

use super::{Answer, Ended, Phase, Search, beyond};

impl Search {
    /// The answer if the search ends now for the reason `why`, before [`Search::next_step`] returns one.
    pub fn so_far(&self, why: Ended) -> Answer {
        match self.phase {
            Phase::Over(ended) => self.answer(ended),
            _ => self.answer(why),
        }
    }

    pub(super) fn answer(&self, ended: Ended) -> Answer {
        let is_known = ended == Ended::Confirmed || ended.is_early();
        let stable = self.ceiling().filter(|_| is_known);
        let at_least = match ended {
            Ended::GeneratorLimit | Ended::LargestLoadHeld => {
                self.confirmed.or_else(|| self.holds_within_generator())
            }
            _ => None,
        };
        let narrowed = ended.is_early() && stable.is_none() && self.pool.is_bracketed();
        let unmeasured = self.log.last().map(|done| done.outcome.unmeasured.clone());
        Answer {
            ended,
            stable,
            at_least,
            probably: narrowed.then(|| self.interval().below(self.fails())),
            soft: beyond::soft(&self.log),
            hard: beyond::hard(&self.log),
            generator: self.generator.clone(),
            holds: stable.map(|one| one.load).or_else(|| self.holds()),
            fails: match stable.map(|one| one.load).or(at_least) {
                Some(load) => self.pool.lowest_failed_above(load),
                None => self.fails(),
            },
            unmeasured: unmeasured.unwrap_or_default(),
            spent_s: self.spent_s,
            trials: self.log.len() + self.not_ready,
        }
    }
}
