//! Finds figures by the names that claims use for them.

use crate::claim::Claim;
use crate::figure::Figure;
use crate::results::{Level, Results, Row};

impl Results {
    /// Returns the levels that a claim names, in the claim's order.
    pub(crate) fn levels_of(&self, claim: &Claim) -> Vec<&Level> {
        let find = |name: &String| self.levels.iter().find(|level| &level.name == name);
        claim.levels.iter().filter_map(find).collect()
    }
}

impl Level {
    /// Returns the row called `name`. Without a name, returns the row of the whole level.
    pub(crate) fn row(&self, name: Option<&str>) -> Option<&Row> {
        let Some(name) = name else {
            return Some(&self.total);
        };
        self.rows.iter().find(|row| row.name == name)
    }

    /// Returns the figure that a claim names, in the claim's own unit. Failures may be stated in per cent.
    pub(crate) fn claimed(&self, claim: &Claim, of: &str) -> Option<Figure> {
        let row = claim.row.as_deref();
        if !claim.percent || of == "success" {
            return self.figure(row, of);
        }
        let success = self.figure(row, "success")?;
        Some(match of {
            "failed" => Figure {
                value: 100.0 - success.value,
                ..success
            },
            _ => success,
        })
    }

    /// Returns the share of successes or failures that a claim names, in per cent, computed from exact counts. Unlike a
    /// printed share, it is not rounded. `None` if the claim is about another figure, or the counts are not exact.
    pub(crate) fn counted_share(&self, claim: &Claim, of: &str) -> Option<Figure> {
        let row = self.row(claim.row.as_deref())?;
        let (ok, all) = row.exact_hits()?;
        let part = match of {
            "success" => ok,
            "failed" if claim.percent => all - ok,
            _ => return None,
        };
        (all > 0.0).then(|| Figure::exact(100.0 * part / all, row.at.clone()))
    }

    /// Returns the figure called `of`, of a row or of the whole level.
    pub(crate) fn figure(&self, row: Option<&str>, of: &str) -> Option<Figure> {
        match of {
            "users" => return self.users.clone(),
            "sessions" => return self.sessions.clone(),
            _ => {}
        }
        let row = self.row(row)?;
        let counts = &row.counts;
        let direct = match of {
            "rate" => &row.rate_per_s,
            "sent" | "count" => &counts.sent,
            "received" => &counts.received,
            "ok" => &counts.ok,
            "failed" => &counts.failed,
            "min" => &row.times.min,
            "mean" => &row.times.mean,
            "max" => &row.times.max,
            "success" => return row.success_percent(),
            _ => {
                let percent: f64 = of.strip_prefix('p')?.parse().ok()?;
                return row.percentile(percent / 100.0).cloned();
            }
        };
        direct.clone()
    }

    /// Returns the successes and trials of the whole level. If the level does not publish them, they are summed over
    /// its operations, unless the operations are steps of one flow.
    pub(crate) fn hits(&self) -> Option<(f64, f64)> {
        let rows = || {
            let rows = self.rows.iter().filter(|row| !row.repeats);
            let each: Option<Vec<(f64, f64)>> = rows.map(Row::hits).collect();
            each.filter(|each| !each.is_empty() && !self.flow)
        };
        let sum = |each: Vec<(f64, f64)>| {
            let add = |one: (f64, f64), other: (f64, f64)| (one.0 + other.0, one.1 + other.1);
            each.into_iter().fold((0.0, 0.0), add)
        };
        self.total.hits().or_else(|| rows().map(sum))
    }
}

impl Row {
    /// Returns successes and trials, as published or derived from other counts. Neither includes operations in flight
    /// at the end of the counting, unless the trials are the operations started.
    pub(crate) fn hits(&self) -> Option<(f64, f64)> {
        let (sent, ok, failed) = (&self.counts.sent, &self.counts.ok, &self.counts.failed);
        match (sent, ok, failed) {
            (_, Some(ok), Some(failed)) => Some((ok.value, ok.value + failed.value)),
            (Some(sent), Some(ok), None) => Some((ok.value, sent.value)),
            (Some(sent), None, Some(failed)) => Some((sent.value - failed.value, sent.value)),
            _ => None,
        }
    }

    /// Like [`Row::hits`], but `None` if a count is rounded, the failures are not published, or the operations started
    /// include some that had not ended.
    fn exact_hits(&self) -> Option<(f64, f64)> {
        let counts = &self.counts;
        let open = counts.unfinished.as_ref().map_or(0.0, Figure::high);
        let counted = match (&counts.ok, &counts.sent) {
            (Some(ok), _) => ok,
            (None, Some(sent)) if open == 0.0 => sent,
            _ => return None,
        };
        let is_exact = counted.slack == 0.0 && counts.failed.as_ref()?.slack == 0.0;
        self.hits().filter(|_| is_exact)
    }

    /// Returns the success rate in per cent, as published or computed from the counts.
    fn success_percent(&self) -> Option<Figure> {
        let counted = || {
            let (ok, sent) = self.hits()?;
            (sent > 0.0).then(|| Figure::exact(100.0 * ok / sent, self.at.clone()))
        };
        self.counts.success_percent.clone().or_else(counted)
    }
}
