mod pages;
mod saved;

use std::path::Path;

use anyhow::bail;
use engine::{Clock, Stop};
use harness::Notice;
use study::{RegistryBackend, RegistrySettings, Sustained};

use crate::args::{Backend, RegistryStudyArgs, Study, StudyAction, StudyArgs, SustainedTime};
use crate::command::generator::fresh_seed;
use crate::command::harness::harness;
use crate::exit::Exit;
use crate::folder::RunFolder;
use crate::hurry::{self, stop_on_ctrl_c};
use crate::progress::Progress;
use crate::save::{save, save_text};
use crate::screen::{print, say};
use saved::SavedStudy;

/// `headcount study`
pub(crate) fn study(args: &StudyArgs) -> anyhow::Result<Exit> {
    match &args.action {
        StudyAction::Measure(study) => {
            let folder = RunFolder::claim(args.out.as_deref(), &Clock::start().started_at())?;
            measure(study, args, &folder, &stop_on_ctrl_c()?)
        }
        StudyAction::All { pages } => all(args, pages),
        StudyAction::Pages { folders } => {
            let to = args.out.as_deref().unwrap_or("docs/studies".as_ref());
            pages::pages(folders, to)
        }
    }
}

/// Measures the studies that are not in the folder yet, and writes the pages of all.
fn all(args: &StudyArgs, to: &Path) -> anyhow::Result<Exit> {
    let out = args.out.as_deref().unwrap_or("headcount-studies".as_ref());
    let stop = stop_on_ctrl_c()?;
    let studies = [
        Study::Bridge,
        Study::Editor,
        Study::Marketplace,
        Study::Transcription,
        Study::Registry(RegistryStudyArgs::default()),
    ];
    let mut folders = Vec::new();
    let mut worst = Exit::Passed;
    for study in &studies {
        let path = out.join(name(study));
        if SavedStudy::is_in(&path) {
            say(&format!("{} is measured already", path.display()));
        } else {
            let folder = RunFolder::claim(Some(&path), "")?;
            hurry::more_to_wait_for();
            let exit = measure(study, args, &folder, &stop)?;
            if exit == Exit::Interrupted {
                say(&format!(
                    "{} is incomplete: remove it, and repeat the command to continue",
                    path.display()
                ));
                return Ok(exit);
            }
            if exit == Exit::Failed || worst == Exit::Passed {
                worst = exit;
            }
        }
        folders.push(path);
    }
    pages::pages(&folders, to)?;
    Ok(worst)
}

fn name(study: &Study) -> &'static str {
    match study {
        Study::Bridge => "bridge",
        Study::Editor => "editor",
        Study::Marketplace => "marketplace",
        Study::Transcription => "transcription",
        Study::Registry(_) => "registry",
    }
}

fn measure(
    study: &Study,
    args: &StudyArgs,
    folder: &RunFolder,
    stop: &Stop,
) -> anyhow::Result<Exit> {
    let of_registry = match study {
        Study::Registry(args) => settings(args)?,
        _ => RegistrySettings::default(),
    };
    if let Err(why) = probe::raise_descriptor_limit() {
        say(&format!(
            "warning: cannot raise the limit of open files: {why}"
        ));
    }
    let mut progress = Progress::new(args.quiet);
    let mut unsaved = Ok(());
    let mut tell = |notice: Notice<'_>| match notice {
        Notice::Part {
            number,
            parts,
            title,
        } => progress.title(&format!("part {number} of {parts}: {title}")),
        Notice::Run(notice) => progress.show(&notice),
        Notice::Done { part, record } => {
            progress.close();
            let saved = save(record, &folder.path().join(part.name), || None);
            unsaved = std::mem::replace(&mut unsaved, Ok(())).and(saved.map(drop));
        }
    };
    let harness = harness(args.seed)?;
    let outcome = match study {
        Study::Bridge => study::bridge(&harness, stop, &mut tell),
        Study::Editor => study::editor(&harness, stop, &mut tell),
        Study::Marketplace => study::marketplace(&harness, stop, &mut tell),
        Study::Transcription => study::transcription(&harness, stop, &mut tell),
        Study::Registry(_) => study::registry(&harness, &of_registry, stop, &mut tell),
    }?;
    hurry::nothing_left_to_wait_for();
    unsaved?;
    save_text(folder.path(), "report.md", &outcome.markdown)?;
    let saved = SavedStudy {
        name: name(study).to_owned(),
        verdict: outcome.verdict(),
        parts: outcome
            .parts
            .iter()
            .map(|part| part.name.to_owned())
            .collect(),
    };
    saved.save(folder.path())?;
    print(&outcome.terminal)?;
    print(&format!(
        "\nsaved  {}\n",
        folder.path().join("report.md").display()
    ))?;
    Ok(if stop.asked() > 0 {
        Exit::Interrupted
    } else {
        outcome.verdict().into()
    })
}

fn settings(args: &RegistryStudyArgs) -> anyhow::Result<RegistrySettings> {
    let has_urls = !args.redis.is_empty(); // `--redis` and `--nats` require each other
    let backend = match args.backend {
        Some(Backend::Embedded) if has_urls => bail!(
            "--backend embedded uses no servers, but --redis and --nats name some: leave out --backend to use them, or \
             leave out --redis and --nats"
        ),
        Some(Backend::RedisNats) | None if has_urls => RegistryBackend::Running {
            redis: args.redis.clone(),
            nats: args.nats.clone(),
        },
        Some(Backend::RedisNats) => RegistryBackend::Started,
        Some(Backend::Embedded) | None => RegistryBackend::Embedded,
    };
    Ok(RegistrySettings {
        backend,
        id: fresh_seed()?,
        long_silences: args.long_silences,
        sustained: args.sustained.map(|time| match time {
            SustainedTime::TenMinutes => Sustained::TenMinutes,
            SustainedTime::SixtyMinutes => Sustained::SixtyMinutes,
        }),
    })
}
