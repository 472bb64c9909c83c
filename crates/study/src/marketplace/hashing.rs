//! Passwords: the cost of one, the rate that it allows, and the effect of more threads.

use record::Run;
use stats::Estimate;

use super::figures::{AtOnce, HASHED, HASHES, at, at_once, levels, p95};

/// The hashing of a part, as configured.
pub(super) struct Hashing {
    /// The time of the fastest login without other load, in seconds. Other activity could only add to it.
    pub(super) cost_s: f64,
    /// The number of cores on which the marketplace may run.
    pub(super) cores: usize,
}

impl Hashing {
    /// Computed from the consecutive logins before the measurement.
    pub(super) fn of(run: Option<&Run>) -> Option<Self> {
        let alone = run?.setup.as_ref()?.requests.get("auth.login alone")?;
        let cores = levels(run).find_map(|level| level.target.as_ref()?.cores.as_ref());
        Some(Self {
            cost_s: alone.service.min()?.as_secs_f64(),
            cores: cores?.len(),
        })
    }

    /// The number of passwords per second that no number of threads can exceed.
    pub(super) fn limit_per_s(&self) -> f64 {
        self.cores as f64 / self.cost_s
    }

    /// The time that the passwords of these trades take at that limit, in seconds.
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

/// The results of one number of threads at one number of trades.
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
    /// The results, in a sentence.
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

/// Compares 4 and 16 threads. It does not call them different, because two single runs of one system differ too.
pub(super) fn verdict(four: &Threads, sixteen: &Threads) -> String {
    let pair = |what: &str, of: fn(&AtOnce) -> Estimate| {
        format!(
            "{what} {} against {}",
            at(of(&four.at)),
            at(of(&sixteen.at))
        )
    };
    let runs = match four.at.runs.min(sixteen.at.runs) {
        1 => "one run each".to_owned(),
        runs => format!("{runs} runs each, not in turn"),
    };
    format!(
        "4 threads against 16, {} trades at once: {} of {} against {} of {} completed; {}; {}; {}; {:.2} against {:.2} \
         passwords/s. Whether 16 threads differ from 4: cannot tell, {runs}. The known limit is that of the cores, {}, and more \
         threads do not raise it.",
        four.at.trades,
        four.at.passed().0,
        four.at.passed().1,
        sixteen.at.passed().0,
        sixteen.at.passed().1,
        pair("logins p50", |at| at
            .hashed(&["auth.login"])
            .response_at(0.5)),
        pair("password requests p95", |at| at
            .hashed(&HASHED)
            .response_at(0.95)),
        pair("other requests p95", |at| at.others().response_at(0.95)),
        four.at.hashes_per_s(),
        sixteen.at.hashes_per_s(),
        sixteen.hashing.words(),
    )
}
