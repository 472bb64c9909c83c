use engine::Stop;
use launch::LaunchError;
use model::Verdict;
use plan::Overrides;
use record::{Inconclusive, Run};
use stage::{Notice, Part, Stage, StageError};
use tempfile::TempDir;

/// The result of one part.
#[derive(Clone, Debug)]
pub struct PartRun {
    /// Its name, which is also the name of its folder.
    pub name: &'static str,
    /// Whether the study's verdict requires its levels to be valid. It does not for a part that repeats a mistake on
    /// purpose, nor for a part at full load, where an invalid level is reported as a lower bound.
    pub must_be_valid: bool,
    /// Whether the study's verdict requires its thresholds to hold. It does not for a part that looks for the load at
    /// which they break.
    pub must_hold: bool,
    /// The record of the part.
    pub record: Run,
    /// The record of the check of the system afterwards, if one was planned.
    pub after: Option<Run>,
}

/// The result of a study.
#[derive(Clone, Debug)]
pub struct StudyOutcome {
    /// The parts in order.
    pub parts: Vec<PartRun>,
    /// The report, as Markdown.
    pub markdown: String,
    /// The same in short, for a terminal.
    pub terminal: String,
}

impl StudyOutcome {
    /// Creates the result. `pages` renders the parts as Markdown and for a terminal.
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

    /// A study passes if its levels are valid and its thresholds held. A threshold that broke on an invalid level is
    /// inconclusive. A percentile with too few samples is not a breach: the report shows `n/a`.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        let mut open = false;
        for part in &self.parts {
            // The check afterwards counts exact figures, so its failures do not depend on how busy the machine was.
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

/// One part of a study, with its changes to the scenario and to the system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StudyPart {
    pub(crate) part: Part,
    pub(crate) must_be_valid: bool,
    pub(crate) must_hold: bool,
    /// Members of a group, instead of those of the scenario.
    pub(crate) group: Option<u64>,
    /// Levels, instead of those of the scenario.
    pub(crate) users: Option<&'static str>,
    /// Source addresses of users, instead of the system's choice.
    pub(crate) source: &'static [&'static str],
    /// Ramp-up and duration, instead of those of the scenario.
    pub(crate) times: Option<(&'static str, &'static str)>,
    /// Faults to inject into the system.
    pub(crate) faults: Option<&'static str>,
    /// Flags of the system for this part.
    pub(crate) flags: &'static [&'static str],
    /// A check of the system after the part.
    pub(crate) after: Option<Part>,
}

impl StudyPart {
    /// The unchanged scenario on a healthy system. Its levels must be valid, and its thresholds must hold.
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
            faults: None,
            flags: &[],
            after: None,
        }
    }

    fn overrides(&self) -> Overrides {
        let (ramp, duration) = self.times.unzip();
        Overrides {
            group: self.group,
            users: self.users.map(str::to_owned),
            source: self.source.iter().map(ToString::to_string).collect(),
            ramp: ramp.map(str::to_owned),
            duration: duration.map(str::to_owned),
            ..Overrides::default()
        }
    }
}

/// The part of this name, if it was run.
pub(crate) fn named<'a>(parts: &'a [PartRun], name: &str) -> Option<&'a Run> {
    let part = parts.iter().find(|part| part.name == name);
    part.map(|part| &part.record)
}

/// A temporary folder for the data of a system.
pub(crate) fn folder_of(system: &str) -> Result<TempDir, StageError> {
    let cannot = |why| LaunchError::Start {
        name: system.to_owned(),
        why,
    };
    Ok(tempfile::tempdir().map_err(cannot)?)
}

/// Runs the parts one after the other, each against a new process of the system with the flags for that part. A stop
/// ends the study after the current part; its results so far are returned.
pub(crate) fn run_all(
    system: &str,
    flags_of: impl Fn(&Part) -> Vec<String>,
    parts: &[StudyPart],
    stage: &Stage,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<Vec<PartRun>, StageError> {
    let mut done = Vec::new();
    for (study_part, number) in parts.iter().zip(1..) {
        let part = &study_part.part;
        if stop.asked() > 0 {
            break;
        }
        tell(Notice::Part {
            number,
            parts: parts.len(),
            title: part.title,
        });
        let mut flags = flags_of(part);
        flags.extend(study_part.flags.iter().map(ToString::to_string));
        if let Some(faults) = study_part.faults {
            flags.extend(["--faults".to_owned(), faults.to_owned()]);
        }
        let scene = stage.set(part, (system, &flags), study_part.overrides())?;
        let (record, system) = scene.play(stop, tell)?;
        let after = match study_part.after.filter(|_| stop.asked() == 0) {
            Some(after) => {
                let scene = stage.set_on(&after, system, Overrides::default())?;
                Some(scene.play(stop, tell)?.0)
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
