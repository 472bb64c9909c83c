//! Passwords: what one costs, how many a second that allows, and whether more threads change it.

use record::Run;
use stats::Estimate;

use super::figures::{AtOnce, HASHED, HASHES, at, at_once, levels, p95, with_interval};

/// By how much more a second must be hashed to speak of more: what a run differs from the next.
const WORTH_A_FIX: f64 = 0.1;

/// Hashing as it was configured for a part.
pub(super) struct Hashing {
    /// What the fastest login took while nobody else was there, in seconds: whatever else went on can only add to it.
    pub(super) cost_s: f64,
    /// Cores that the marketplace may run on.
    pub(super) cores: usize,
}

impl Hashing {
    /// From the logins before the clock, one after the other.
    pub(super) fn of(run: Option<&Run>) -> Option<Self> {
        let alone = run?.setup.as_ref()?.requests.get("auth.login alone")?;
        let cores = levels(run).find_map(|level| level.target.as_ref()?.cores.as_ref());
        Some(Self {
            cost_s: alone.service.min()?.as_secs_f64(),
            cores: cores?.len(),
        })
    }

    /// Passwords per second that no number of threads can exceed.
    pub(super) fn limit_per_s(&self) -> f64 {
        self.cores as f64 / self.cost_s
    }

    /// How long the passwords of so many trades take at that limit, in seconds.
    pub(super) fn least_s(&self, trades: u64) -> f64 {
        (trades * HASHES) as f64 / self.limit_per_s()
    }

    /// `1 core ÷ 25.1 ms = 39.8/s`
    pub(super) fn words(&self) -> String {
        let Self { cost_s, cores, .. } = self;
        let cores = match cores {
            1 => "1 core".to_owned(),
            cores => format!("{cores} cores"),
        };
        format!(
            "{cores} ÷ {:.1} ms = {:.1}/s",
            cost_s * 1e3,
            self.limit_per_s()
        )
    }
}

/// One number of threads, at one number of trades.
pub(super) struct Threads {
    pub(super) count: &'static str,
    pub(super) hashing: Hashing,
    pub(super) at: AtOnce,
}

pub(super) fn threads(run: Option<&Run>, count: &'static str, trades: u64) -> Option<Threads> {
    Some(Threads {
        count,
        hashing: Hashing::of(run)?,
        at: at_once(run, trades)?,
    })
}

impl Threads {
    /// What it did, in a sentence.
    pub(super) fn words(&self) -> String {
        let (passed, of) = self.at.passed();
        let logins = self.at.hashed(&["auth.login"]);
        format!(
            "{} threads: {passed} of {of}; logins p50 {}, password requests p95 {}; {:.2} passwords/s of at most {}; \
             other requests p95 {}",
            self.count,
            at(logins.response_at(0.5)),
            at(self.at.hashed(&HASHED).response_at(0.95)),
            self.at.hashes_per_s(),
            self.hashing.words(),
            p95(&self.at.others())
        )
    }
}

/// Whether the intervals of two percentiles lie apart; `None` where one has none.
pub(super) fn differ(one: Estimate, other: Estimate) -> Option<bool> {
    let (
        Estimate::Value {
            interval: Some(one),
            ..
        },
        Estimate::Value {
            interval: Some(other),
            ..
        },
    ) = (one, other)
    else {
        return None;
    };
    Some(one.1 < other.0 || other.1 < one.0)
}

fn compared(what: &str, one: Estimate, other: Estimate) -> String {
    let verdict = match differ(one, other) {
        Some(true) => "the 95 % intervals lie apart: a difference",
        Some(false) => "the 95 % intervals overlap: no difference is shown",
        None => "too few for an interval",
    };
    format!(
        "{what} {} against {}: {verdict}",
        with_interval(one),
        with_interval(other)
    )
}

/// Whether 16 threads did anything that 4 did not: tested, not looked at.
pub(super) fn verdict(four: &Threads, sixteen: &Threads) -> String {
    let p = stats::fisher(four.at.passed(), sixteen.at.passed());
    let pair = |of: fn(&AtOnce) -> Estimate| (of(&four.at), of(&sixteen.at));
    let (login4, login16) = pair(|at| at.hashed(&["auth.login"]).response_at(0.5));
    let (all4, all16) = pair(|at| at.hashed(&HASHED).response_at(0.95));
    let (rest4, rest16) = pair(|at| at.others().response_at(0.95));
    let (rate4, rate16) = (four.at.hashes_per_s(), sixteen.at.hashes_per_s());
    let so = if rate16 > rate4 * (1.0 + WORTH_A_FIX) {
        "So 16 threads hash more"
    } else {
        "So 16 threads hash no more than 4: the cores set the limit, and the fix was none"
    };
    format!(
        "4 threads against 16, {} trades at once: {} of {} against {} of {} came through (Fisher's exact test: p = {p:.2}); {}; \
         {}; {}; {rate4:.2} against {rate16:.2} passwords/s. {so}.",
        four.at.trades,
        four.at.passed().0,
        four.at.passed().1,
        sixteen.at.passed().0,
        sixteen.at.passed().1,
        compared("logins p50", login4, login16),
        compared("password requests p95", all4, all16),
        compared("other requests p95", rest4, rest16),
    )
}
