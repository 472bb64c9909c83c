use engine::Stop;
use record::Run;
use stage::{Notice, Part, Stage, StageError};

/// One part, run.
#[derive(Clone, Debug)]
pub struct PartRun {
    /// Its name, fit for a folder.
    pub name: &'static str,
    /// Whether the study's verdict needs its levels to be sound: not of a part that repeats a mistake on
    /// purpose, nor of one that goes flat out, where an unsound level is a lower bound and is called so.
    pub must_be_sound: bool,
    /// What was measured.
    pub record: Run,
}

/// A study, told.
#[derive(Clone, Debug)]
pub struct StudyOutcome {
    /// The parts in order.
    pub parts: Vec<PartRun>,
    /// The report, as Markdown.
    pub markdown: String,
    /// The same in short, for a terminal.
    pub terminal: String,
}

/// One part of a study.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StudyPart {
    pub(crate) part: Part,
    pub(crate) must_be_sound: bool,
}

/// Runs the parts one after the other, each against a freshly started system. A stop ends the study
/// after the part that is on; what was measured is there.
pub(crate) fn run_all(
    system: &str,
    parts: &[StudyPart],
    stage: &Stage,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<Vec<PartRun>, StageError> {
    let mut done = Vec::new();
    for (
        StudyPart {
            part,
            must_be_sound,
        },
        number,
    ) in parts.iter().zip(1..)
    {
        if stop.asked() > 0 {
            break;
        }
        tell(Notice::Part {
            number,
            parts: parts.len(),
            title: part.title,
        });
        let scene = stage.set(part, (system, &[]), plan::Overrides::default())?;
        let (record, _system) = scene.play(stop, tell)?;
        done.push(PartRun {
            name: part.name,
            must_be_sound: *must_be_sound,
            record,
        });
    }
    Ok(done)
}
