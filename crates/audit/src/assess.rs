use crate::{Claim, Finding, Kind, RULES, Results, Severity};

/// What the rules say of some results.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Audit {
    /// What was audited.
    pub source: String,
    /// Which kind of file it was.
    pub form: &'static str,
    /// How many levels were read.
    pub levels: usize,
    /// How many statements were read.
    pub claims: usize,
    /// The contradictions, the worst first.
    pub findings: Vec<Finding>,
    /// What could not be checked.
    pub unchecked: Vec<Unchecked>,
    /// How often each rule found something to check, in the order of the rules.
    pub checked: Vec<(&'static str, usize)>,
}

/// A check that was not made because figures are missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unchecked {
    /// Of which rule.
    pub rule: &'static str,
    /// What is missing.
    pub lacks: &'static str,
    /// Where, in the order of the source; empty where the rule found nothing to check anywhere.
    pub subjects: Vec<String>,
}

/// A rule: one kind of contradiction.
#[derive(Debug)]
pub struct Rule {
    /// Its name, which JSON and documents use.
    pub name: &'static str,
    /// What it says, a sentence.
    pub says: &'static str,
    /// The figures without which it says nothing at all.
    pub needs: &'static str,
    /// What to measure instead.
    pub instead: &'static str,
    /// Goes over the results.
    pub check: fn(&Results, &mut Desk<'_>),
}

/// Where a rule lays down what it finds.
#[derive(Debug)]
pub struct Desk<'a> {
    rule: &'a Rule,
    findings: Vec<Finding>,
    unchecked: Vec<Unchecked>,
    checked: usize,
}

impl Audit {
    /// The worst of the findings; `None` when there is none.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

impl Desk<'_> {
    /// There were the figures to check something.
    pub fn checked(&mut self) {
        self.checked += 1;
    }

    /// Something is wrong.
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

    /// Something could not be checked.
    pub fn lacks(&mut self, subject: impl Into<String>, lacks: &'static str) {
        let subject = subject.into();
        match self.unchecked.iter_mut().find(|known| known.lacks == lacks) {
            Some(known) if known.subjects.contains(&subject) => {}
            Some(known) => known.subjects.push(subject),
            None => self.unchecked.push(Unchecked {
                rule: self.rule.name,
                lacks,
                subjects: vec![subject],
            }),
        }
    }
}

impl Results {
    /// The statements of a kind.
    pub(crate) fn claims_of(&self, kind: Kind) -> impl Iterator<Item = &Claim> {
        self.claims.iter().filter(move |claim| claim.kind == kind)
    }
}

/// Goes over results with every rule.
pub fn audit(results: &Results) -> Audit {
    let mut audit = Audit {
        source: results.source.clone(),
        form: results.form,
        levels: results.levels.len(),
        claims: results.claims.len(),
        ..Audit::default()
    };
    for rule in RULES {
        let mut desk = Desk {
            rule,
            findings: Vec::new(),
            unchecked: Vec::new(),
            checked: 0,
        };
        (rule.check)(results, &mut desk);
        // A rule that found nothing to look at says so: its silence is not praise.
        if desk.checked == 0 && desk.findings.is_empty() && desk.unchecked.is_empty() {
            desk.unchecked.push(Unchecked {
                rule: rule.name,
                lacks: rule.needs,
                subjects: Vec::new(),
            });
        }
        audit.findings.extend(desk.findings);
        audit.unchecked.extend(desk.unchecked);
        audit.checked.push((rule.name, desk.checked));
    }
    // The order of the rules stays within a severity.
    audit
        .findings
        .sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    audit
}
