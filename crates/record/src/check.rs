//! Do the counts add up? A record that contradicts itself is a fault of headcount, and the report says so.

use stats::Histogram;

use crate::{Deliveries, Iterations, Level, Run, Story, StoryStep, Timings};

impl Run {
    /// Every identity that does not hold, as a sentence; none in a sound record.
    pub fn check_identities(&self) -> Vec<String> {
        self.levels
            .iter()
            .flat_map(Level::check_identities)
            .collect()
    }
}

impl Level {
    /// Every identity that does not hold in this level, as a sentence.
    pub fn check_identities(&self) -> Vec<String> {
        let measured = &self.measured;
        let mut broken = measured.iterations.check_identities();
        for (name, iterations) in &measured.scenarios {
            broken.extend(named("iteration", name, iterations.check_identities()));
        }
        broken.extend(measured.story.check_identities(&measured.iterations));
        for (channel, deliveries) in &measured.deliveries {
            broken.extend(named("delivery", channel, deliveries.check_identities()));
        }
        for (family, timings) in [
            ("connection", &measured.connections),
            ("request", &measured.requests),
            ("round_trip", &measured.round_trips),
            ("step", &measured.steps),
            ("eventually", &measured.eventually),
        ] {
            for (name, timings) in timings {
                broken.extend(named(family, name, timings.check_identities()));
            }
        }
        let level = self.index + 1;
        broken
            .into_iter()
            .map(|text| format!("level {level}: {text}"))
            .collect()
    }
}

fn named(family: &str, name: &str, broken: Vec<String>) -> Vec<String> {
    let told = broken.into_iter();
    told.map(|text| format!("{family}({name}): {text}"))
        .collect()
}

/// Every age is that of something in flight; records of version 1 have no ages.
fn too_many_ages(ages: &Histogram, open: u64) -> Option<String> {
    let ages = ages.count();
    (ages > open).then(|| format!("{ages} ages, but {open} in flight"))
}

impl Iterations {
    /// planned = started + dropped; started = succeeded + failed + unfinished; each that timed out failed; each that was
    /// dropped has its cause.
    pub fn check_identities(&self) -> Vec<String> {
        let mut broken = Vec::new();
        let Self {
            planned,
            started,
            succeeded,
            failed,
            unfinished,
            dropped,
            ..
        } = self;
        if *planned != started + dropped {
            broken.push(format!(
                "iterations: {planned} planned, but {started} started + {dropped} dropped"
            ));
        }
        let explained: u64 = self.dropped_by_cause.values().sum();
        if explained != *dropped && !self.dropped_by_cause.is_empty() {
            broken.push(format!(
                "iterations: {dropped} dropped, but causes for {explained}"
            ));
        }
        if *started != succeeded + failed + unfinished {
            broken.push(format!(
                "iterations: {started} started, but {succeeded} succeeded + {failed} failed + \
                 {unfinished} unfinished"
            ));
        }
        if self.timed_out > *failed {
            let timed_out = self.timed_out;
            broken.push(format!(
                "iterations: {timed_out} timed out, but {failed} failed"
            ));
        }
        broken.extend(too_many_ages(&self.open, *unfinished));
        broken
    }
}

impl Story {
    /// Of each step: reached = passed + failed + unfinished, and no more than were started. Of the iterations: each that
    /// failed has its cause, each that is unfinished its place. A record of before tells none of it.
    pub fn check_identities(&self, iterations: &Iterations) -> Vec<String> {
        if self.is_empty() {
            return Vec::new();
        }
        let mut broken: Vec<String> = self
            .steps
            .iter()
            .flat_map(|step| named("step", &step.name(), step.check_identities(iterations)))
            .collect();
        let failed: u64 = self.first_failures.iter().map(|cause| cause.failed).sum();
        if failed != iterations.failed {
            let all = iterations.failed;
            broken.push(format!("iterations: {all} failed, but causes for {failed}"));
        }
        let succeeded: u64 = self
            .first_failures
            .iter()
            .map(|cause| cause.succeeded)
            .sum();
        if succeeded > iterations.succeeded {
            let all = iterations.succeeded;
            broken.push(format!(
                "iterations: {all} succeeded, but failures in {succeeded} of them"
            ));
        }
        let unfinished: u64 = self.unfinished.iter().map(|left| left.count).sum();
        if unfinished != iterations.unfinished {
            let all = iterations.unfinished;
            broken.push(format!(
                "iterations: {all} unfinished, but places for {unfinished}"
            ));
        }
        broken
    }
}

impl StoryStep {
    fn check_identities(&self, iterations: &Iterations) -> Vec<String> {
        let Self {
            reached,
            passed,
            passed_with_failures,
            failed,
            unfinished,
            begun,
            ..
        } = self;
        let mut broken = Vec::new();
        if *reached != passed + failed + unfinished || passed_with_failures > passed {
            broken.push(format!(
                "{reached} reached it, but {passed} passed ({passed_with_failures} with failures) + {failed} failed + \
                 {unfinished} unfinished"
            ));
        }
        if *reached > iterations.started {
            let started = iterations.started;
            broken.push(format!("{reached} reached it, but {started} were started"));
        }
        let ended = self.passed_time.count() + self.failed_time.count() + self.timed_out;
        if ended > *begun {
            broken.push(format!("begun {begun} times, but ended {ended} times"));
        }
        broken.extend(too_many_ages(&self.open, self.left_open()));
        broken
    }
}

impl Deliveries {
    /// expected = delivered + late + lost + cut off; a latency for each that was seen.
    pub fn check_identities(&self) -> Vec<String> {
        let mut broken = Vec::new();
        let Self {
            expected,
            delivered,
            late,
            messages,
            ..
        } = self;
        let lost = self.lost_count();
        let cut_off = self.cut_off.count();
        if *expected != delivered + late + lost + cut_off {
            broken.push(format!(
                "{expected} expected, but {delivered} delivered + {late} late + {lost} lost + {cut_off} cut off"
            ));
        }
        let times = self.latency.count();
        if times != delivered + late {
            broken.push(format!(
                "{times} latencies, but {delivered} delivered + {late} late"
            ));
        }
        if self.whole_audience > *messages {
            let whole = self.whole_audience;
            broken.push(format!(
                "{whole} messages reached everybody, but {messages} were sent"
            ));
        }
        broken
    }
}

impl Timings {
    /// timed out ⊆ failed ⊆ all; no more times than answers; no more ages than there are in flight.
    pub fn check_identities(&self) -> Vec<String> {
        let mut broken = Vec::new();
        let Self {
            count,
            failed,
            timed_out,
            ..
        } = self;
        if timed_out > failed || failed > count {
            broken.push(format!(
                "{timed_out} timed out, {failed} failed, {count} ended"
            ));
        }
        let times = self.response.count();
        if times + timed_out > *count {
            broken.push(format!(
                "{times} times and {timed_out} time-outs, but {count} ended"
            ));
        }
        broken.extend(too_many_ages(&self.open, self.unfinished));
        broken
    }
}
