use engine::Stop;
use harness::{Changes, Harness, HarnessError, LaunchError, Notice, Part, TemporaryFolder};
use model::Verdict;
use plan::Overrides;
use record::{Inconclusive, Run};

/// The result of one part.
#[derive(Clone, Debug)]
pub struct PartRun {
    /// Name of the part, which is also the name of its folder.
    pub name: &'static str,
    /// Whether the study passes only if the levels of this part are valid. False for a part that repeats a mistake on
    /// purpose, and for a part at full load, whose invalid levels are reported as lower bounds.
    pub must_be_valid: bool,
    /// Whether the study passes only if the thresholds of this part hold. False for a part that searches for the load
    /// at which they break.
    pub must_hold: bool,
    /// The record of the part.
    pub record: Run,
    /// The record of the check that followed the part. `None` if no check was planned.
    pub after: Option<Run>,
}

/// The result of a study.
#[derive(Clone, Debug)]
pub struct StudyOutcome {
    /// The parts, in the order in which they ran.
    pub parts: Vec<PartRun>,
    /// The report, as Markdown.
    pub markdown: String,
    /// A short version of the report, for a terminal.
    pub terminal: String,
}

impl StudyOutcome {
    /// Creates the outcome. `pages` renders the parts as Markdown and for a terminal.
    pub(crate) fn told(
        parts: Vec<PartRun>,
        pages: impl FnOnce(&[PartRun]) -> (String, String),
    ) -> Self {
        let (markdown, terminal) = pages(&parts);
        Self {
            parts,
            markdown,
            terminal,
        }
    }

    /// Returns the verdict. A study passes if its levels are valid and its thresholds held. A threshold that broke in
    /// an invalid level is inconclusive. A percentile with too few samples breaks no threshold: the report shows `n/a`.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let mut open = false;
        for part in &self.parts {
            // The check after a part counts exact figures, so its failures do not depend on how busy the machine was.
            let looked = part.after.iter().flat_map(|run| &run.thresholds);
            if looked.into_iter().any(|one| one.held == Some(false)) {
                return Verdict::Failed;
            }
            for level in &part.record.levels {
                let mut results = part.record.thresholds.iter();
                let broke = part.must_hold
                    && results.any(|one| one.level == level.index && one.held == Some(false));
                if broke && !level.is_invalid() {
                    return Verdict::Failed;
                }
                let unsure = part.must_hold
                    && part.record.thresholds.iter().any(|one| {
                        let why = one.inconclusive;
                        one.level == level.index && why == Some(Inconclusive::InvalidLevel)
                    });
                open |= broke || unsure || part.must_be_valid && level.is_invalid();
            }
        }
        if open {
            Verdict::Inconclusive
        } else {
            Verdict::Passed
        }
    }
}

/// One part of a study, with its changes to the scenario and the system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StudyPart {
    pub(crate) part: Part,
    pub(crate) must_be_valid: bool,
    pub(crate) must_hold: bool,
    /// Number of members of a group, if it differs from the scenario's.
    pub(crate) group: Option<u64>,
    /// Levels, if they differ from the scenario's.
    pub(crate) users: Option<&'static str>,
    /// Source addresses of users. If empty, the operating system chooses.
    pub(crate) source: &'static [&'static str],
    /// Ramp-up and duration, if they differ from the scenario's.
    pub(crate) times: Option<(&'static str, &'static str)>,
    /// Environment variables that the scenario reads, with their values.
    pub(crate) env: &'static [(&'static str, &'static str)],
    /// Faults that are injected into the system.
    pub(crate) faults: Option<&'static str>,
    /// Additional command-line flags of the system.
    pub(crate) flags: &'static [&'static str],
    /// A scenario that checks the system after the part.
    pub(crate) after: Option<Part>,
}

impl StudyPart {
    /// Creates a part with the unchanged scenario and a system without faults. Its levels must be valid, and its
    /// thresholds must hold.
    pub(crate) const fn new(
        name: &'static str,
        title: &'static str,
        file: &'static str,
        source: &'static str,
    ) -> Self {
        Self {
            part: Part {
                name,
                title,
                file,
                source,
                modules: &[],
            },
            must_be_valid: true,
            must_hold: true,
            group: None,
            users: None,
            source: &[],
            times: None,
            env: &[],
            faults: None,
            flags: &[],
            after: None,
        }
    }

    pub(crate) fn changes(&self) -> Changes {
        let (ramp, duration) = self.times.unzip();
        let overrides = Overrides {
            group: self.group,
            users: self.users.map(str::to_owned),
            source: self.source.iter().map(ToString::to_string).collect(),
            ramp: ramp.map(str::to_owned),
            duration: duration.map(str::to_owned),
            ..Overrides::default()
        };
        Changes {
            overrides,
            env: self.env.to_vec(),
        }
    }
}

/// Returns the record of the part called `name`. `None` if the part was not run.
pub(crate) fn named<'a>(parts: &'a [PartRun], name: &str) -> Option<&'a Run> {
    let part = parts.iter().find(|part| part.name == name);
    part.map(|part| &part.record)
}

/// Creates a temporary folder for the data of a system.
pub(crate) fn folder_of(system: &str) -> Result<TemporaryFolder, HarnessError> {
    let cannot = |why| LaunchError::Start {
        name: system.to_owned(),
        why,
    };
    Ok(TemporaryFolder::new().map_err(cannot)?)
}

/// Runs the parts one after the other, each against a new process of the system with the part's flags. `further` is the
/// number of parts that the caller runs afterwards. A stop ends the study after the current part, and the results so far
/// are returned.
pub(crate) fn run_all(
    system: &str,
    flags_of: impl Fn(&Part) -> Vec<String>,
    parts: &[StudyPart],
    further: usize,
    harness: &Harness,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<Vec<PartRun>, HarnessError> {
    let mut done = Vec::new();
    for (study_part, number) in parts.iter().zip(1..) {
        let part = &study_part.part;
        if stop.asked() > 0 {
            break;
        }
        tell(Notice::Part {
            number,
            parts: parts.len() + further,
            title: part.title,
        });
        let mut flags = flags_of(part);
        flags.extend(study_part.flags.iter().map(ToString::to_string));
        if let Some(faults) = study_part.faults {
            flags.extend(["--faults".to_owned(), faults.to_owned()]);
        }
        let prepared = harness.prepare(part, (system, &flags), study_part.changes())?;
        let (record, system) = prepared.run(stop, tell)?;
        let after = match study_part.after.filter(|_| stop.asked() == 0) {
            Some(after) => {
                let prepared = harness.prepare_on(&after, system, Overrides::default())?;
                Some(prepared.run(stop, tell)?.0)
            }
            None => None,
        };
        done.push(PartRun {
            name: part.name,
            must_be_valid: study_part.must_be_valid,
            must_hold: study_part.must_hold,
            record,
            after,
        });
    }
    Ok(done)
}

#[cfg(test)]
mod tests;
