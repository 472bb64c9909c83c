use crate::finding::{Finding, Severity};
use crate::results::Results;

/// A rule, which finds one kind of contradiction.
#[derive(Debug)]
pub struct Rule {
    /// Name of the rule in JSON and documents.
    pub name: &'static str,
    /// The contradiction that the rule reports, worded as in the reference.
    pub says: &'static str,
    /// The figures or claims that the rule needs to make any check.
    pub needs: Needs,
    /// What to measure instead.
    pub instead: &'static str,
    /// Checks the results and reports findings to the desk.
    pub check: fn(&Results, &mut Desk<'_>),
}

/// The figures or claims that a rule needs to make any check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Certain figures of the results.
    Figures(&'static str),
    /// A claim of a certain kind.
    Claim(&'static str),
}

/// A check that was not made because figures are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchecked {
    /// Name of the rule.
    pub rule: &'static str,
    /// The figures that are missing.
    pub lacks: &'static str,
    /// The levels, rows or claims concerned, in the order of the source. Empty if the rule had nothing to check.
    pub subjects: Vec<String>,
    /// True if the rule needs a kind of claim that is missing.
    pub claim: bool,
}

/// Collects the findings of one rule.
#[derive(Debug)]
pub struct Desk<'a> {
    rule: &'a Rule,
    pub(crate) findings: Vec<Finding>,
    pub(crate) unchecked: Vec<Unchecked>,
    pub(crate) checked: usize,
}

impl<'a> Desk<'a> {
    /// Checks the results against a rule.
    pub(crate) fn check(rule: &'a Rule, results: &Results) -> Self {
        let mut desk = Self {
            rule,
            findings: Vec::new(),
            unchecked: Vec::new(),
            checked: 0,
        };
        (rule.check)(results, &mut desk);
        // Without this entry, a rule that had nothing to check would look like a rule that found nothing wrong.
        if desk.checked == 0 && desk.findings.is_empty() && desk.unchecked.is_empty() {
            let (lacks, claim) = match rule.needs {
                Needs::Figures(figures) => (figures, false),
                Needs::Claim(claim) => (claim, true),
            };
            desk.unchecked.push(Unchecked {
                rule: rule.name,
                lacks,
                subjects: Vec::new(),
                claim,
            });
        }
        desk
    }

    /// Counts a check that had all its figures.
    pub fn checked(&mut self) {
        self.checked += 1;
    }

    /// Reports a contradiction. The subject is a level, row or claim. The places of its figures follow.
    pub fn find(
        &mut self,
        severity: Severity,
        (subject, at): (impl Into<String>, &[&str]),
        what: impl Into<String>,
        arithmetic: impl Into<String>,
    ) {
        let mut places: Vec<String> = at.iter().map(|&place| place.to_owned()).collect();
        places.retain(|place| !place.is_empty());
        places.dedup();
        self.findings.push(Finding {
            rule: self.rule.name,
            severity,
            subject: subject.into(),
            at: places,
            what: what.into(),
            arithmetic: arithmetic.into(),
            instead: self.rule.instead,
        });
    }

    /// Reports a check that lacked figures. Subjects that lack the same figures share an entry.
    pub fn lacks(&mut self, subject: impl Into<String>, lacks: &'static str) {
        let subject = subject.into();
        match self.unchecked.iter_mut().find(|known| known.lacks == lacks) {
            Some(known) if known.subjects.contains(&subject) => {}
            Some(known) => known.subjects.push(subject),
            None => self.unchecked.push(Unchecked {
                rule: self.rule.name,
                lacks,
                subjects: vec![subject],
                claim: false,
            }),
        }
    }
}
