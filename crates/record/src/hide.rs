//! Hides values, and the credentials of URLs, in the texts of a run. Figures, identifiers and the scenario's source stay
//! unchanged. The source cannot contain any of the values, because they all come from outside the file. Whoever writes
//! the record hides the credentials in the source.

use std::borrow::Cow;
use std::collections::BTreeMap;

use model::{HiddenValues, without_credentials};
use serde_json::{Map, Value};

use crate::{
    Cause, Deliveries, Evidence, Example, Failure, Finding, IssueCause, Level, Measured, Mismatch,
    Note, Run, StepFunnel, TargetUse, Unknown,
};

impl Run {
    /// Replaces the values, and the credentials of URLs, with `***` in options, names, thresholds, addresses and
    /// descriptions of errors. Reports escape these texts, so credentials would not be recognised there.
    pub fn hide(&mut self, values: &HiddenValues) {
        json(values, &mut self.options);
        text(values, &mut self.target);
        texts(values, &mut self.target_version);
        let given = self.sources.iter_mut().flat_map(|all| &mut all.given);
        texts(values, given);
        if let Some(setup) = &mut self.setup {
            names(values, &mut setup.requests);
            names(values, &mut setup.checks);
            failures(values, &mut setup.failures);
        }
        if let Some(teardown) = &mut self.teardown {
            names(values, &mut teardown.requests);
            names(values, &mut teardown.checks);
            failures(values, &mut teardown.failures);
        }
        for level in &mut self.levels {
            level.hide(values);
        }
        for result in &mut self.thresholds {
            texts(values, [&mut result.metric, &mut result.condition]);
        }
        for finding in &mut self.findings {
            finding.hide(values);
        }
        for note in &mut self.notes {
            note.hide(values);
        }
        failures(values, &mut self.script_faults);
    }
}

impl Level {
    fn hide(&mut self, values: &HiddenValues) {
        text(values, &mut self.load.group_size);
        texts(values, &mut self.load.rate);
        for issue in &mut self.issues {
            issue.cause.hide(values);
        }
        self.measured.hide(values);
        if let Some(limited) = &mut self.limited {
            names(values, &mut limited.names);
        }
        if let Some(target) = &mut self.target {
            target.hide(values);
        }
    }
}

impl Measured {
    fn hide(&mut self, values: &HiddenValues) {
        names(values, &mut self.scenarios);
        names(values, &mut self.connections);
        names(values, &mut self.requests);
        names(values, &mut self.round_trips);
        names(values, &mut self.streams);
        names(values, &mut self.steps);
        for deliveries in self.deliveries.values_mut() {
            deliveries.hide(values);
        }
        names(values, &mut self.deliveries);
        names(values, &mut self.converged);
        names(values, &mut self.eventually);
        names(values, &mut self.checks);
        names(values, &mut self.metrics);
        self.funnel.hide(values);
        failures(values, &mut self.failures);
    }
}

impl Deliveries {
    fn hide(&mut self, values: &HiddenValues) {
        match &mut self.misplaced.first {
            None | Some(Mismatch::Array | Mismatch::Cut { .. }) => {}
            Some(Mismatch::Place { looks, stands }) => texts(values, [looks, stands]),
            Some(Mismatch::Value { at, wanted, came }) => {
                texts(values, [at, wanted]);
                texts(values, came);
            }
            Some(Mismatch::Event { wanted, came }) => texts(values, [wanted, came]),
        }
    }
}

impl StepFunnel {
    fn hide(&mut self, values: &HiddenValues) {
        for step in &mut self.steps {
            texts(values, &mut step.path);
            texts(values, &mut step.scenario);
        }
        for failure in &mut self.first_failures {
            texts(values, failure.step.iter_mut().flatten());
            text(values, &mut failure.what);
            example(values, &mut failure.first);
        }
        for unfinished in &mut self.unfinished {
            texts(values, unfinished.step.iter_mut().flatten());
        }
    }
}

impl TargetUse {
    fn hide(&mut self, values: &HiddenValues) {
        if let Some(scrapes) = &mut self.scrapes {
            text(values, &mut scrapes.url);
            texts(values, &mut scrapes.first_failure);
        }
        names(values, &mut self.metrics);
    }
}

impl IssueCause {
    fn hide(&mut self, values: &HiddenValues) {
        if let Self::SmallMessages { connection, .. } = self {
            text(values, connection);
        }
    }
}

impl Finding {
    fn hide(&mut self, values: &HiddenValues) {
        match &mut self.cause {
            Cause::FixedTimeout(cause) => text(values, &mut cause.name),
            Cause::SlowSetup(cause) => text(values, &mut cause.name),
            Cause::DelayedAcknowledgement(cause) => text(values, &mut cause.name),
            Cause::UniquenessCollisions(cause) => text(values, &mut cause.name),
            _ => {}
        }
        for evidence in &mut self.evidence {
            match evidence {
                Evidence::SlowerAt { name, .. } => texts(values, name),
                Evidence::GeneratorIssue { issue } => issue.hide(values),
                _ => {}
            }
        }
        for unknown in &mut self.unknown {
            if let Unknown::OtherRoutes { refused, free } = unknown {
                texts(values, refused);
                texts(values, free);
            }
        }
    }
}

impl Note {
    fn hide(&mut self, values: &HiddenValues) {
        match self {
            Self::Aborted { threshold, .. } => text(values, threshold),
            Self::UnknownName {
                subject,
                nearest,
                measured,
            } => {
                text(values, subject);
                texts(values, nearest);
                texts(values, measured);
            }
            Self::NotMeasured { subject, .. } => text(values, subject),
            Self::OutsideMeasurement { names } => texts(values, names),
            Self::LeftoversUnknown { url, error } => texts(values, [url, error]),
            Self::NotReady { .. } => {}
            Self::EndedEarly { error } => text(values, error),
            Self::Text { text: sentence } => text(values, sentence),
        }
    }
}

fn failures(values: &HiddenValues, all: &mut [Failure]) {
    for failure in all {
        text(values, &mut failure.what);
        example(values, &mut failure.first);
    }
}

fn example(values: &HiddenValues, example: &mut Example) {
    texts(values, &mut example.step);
    text(values, &mut example.detail);
}

fn texts<'t>(values: &HiddenValues, all: impl IntoIterator<Item = &'t mut String>) {
    for one in all {
        text(values, one);
    }
}

fn text(values: &HiddenValues, text: &mut String) {
    if let Cow::Owned(shown) = shown(values, text) {
        *text = shown;
    }
}

/// The text without the values and without credentials.
fn shown<'t>(values: &HiddenValues, text: &'t str) -> Cow<'t, str> {
    match without_credentials(text) {
        Cow::Borrowed(text) => values.hide(text),
        Cow::Owned(text) => Cow::Owned(values.hide(&text).into_owned()),
    }
}

/// Hides values and credentials in names. If two names become equal, they are numbered, so that no measurement is lost.
fn names<T>(values: &HiddenValues, all: &mut BTreeMap<String, T>) {
    let is_hidden = |name: &String| matches!(shown(values, name), Cow::Owned(_));
    if !all.keys().any(is_hidden) {
        return;
    }
    for (name, value) in std::mem::take(all) {
        let shown = shown(values, &name);
        let mut free = shown.clone().into_owned();
        let mut number = 1;
        while all.contains_key(&free) {
            number += 1;
            free = format!("{shown} ({number})");
        }
        all.insert(free, value);
    }
}

/// Hides values in the texts and keys of a JSON value.
fn json(values: &HiddenValues, value: &mut Value) {
    match value {
        Value::String(one) => text(values, one),
        Value::Array(list) => list.iter_mut().for_each(|item| json(values, item)),
        Value::Object(object) => {
            let hidden = std::mem::take(object).into_iter().map(|(key, mut item)| {
                json(values, &mut item);
                (shown(values, &key).into_owned(), item)
            });
            *object = hidden.collect::<Map<_, _>>();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
