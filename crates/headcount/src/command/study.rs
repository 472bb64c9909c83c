mod pages;
mod saved;

use anyhow::bail;
use engine::Clock;
use harness::Notice;
use study::{RegistryBackend, RegistrySettings, Sustained};

use crate::args::{Backend, RegistryStudyArgs, Study, StudyAction, StudyArgs, SustainedTime};
use crate::command::harness::harness;
use crate::command::run::fresh_seed;
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
        StudyAction::Measure(study) => measure(study, args),
        StudyAction::Pages { folders } => {
            let to = args.out.as_deref().unwrap_or("docs/studies".as_ref());
            pages::pages(folders, to)
        }
    }
}

fn measure(study: &Study, args: &StudyArgs) -> anyhow::Result<Exit> {
    let of_registry = match study {
        Study::Registry(args) => settings(args)?,
        _ => RegistrySettings::default(),
    };
    let folder = RunFolder::claim(args.out.as_deref(), &Clock::start().started_at())?;
    let stop = stop_on_ctrl_c()?;
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
            let saved = save(record, &folder.path().join(part.name));
            unsaved = std::mem::replace(&mut unsaved, Ok(())).and(saved.map(drop));
        }
    };
    let harness = harness(args.seed)?;
    let (name, outcome) = match study {
        Study::Bridge => ("bridge", study::bridge(&harness, &stop, &mut tell)),
        Study::Editor => ("editor", study::editor(&harness, &stop, &mut tell)),
        Study::Marketplace => (
            "marketplace",
            study::marketplace(&harness, &stop, &mut tell),
        ),
        Study::Transcription => (
            "transcription",
            study::transcription(&harness, &stop, &mut tell),
        ),
        Study::Registry(_) => (
            "registry",
            study::registry(&harness, &of_registry, &stop, &mut tell),
        ),
    };
    let outcome = outcome?;
    hurry::nothing_left_to_wait_for();
    unsaved?;
    save_text(folder.path(), "report.md", &outcome.markdown)?;
    let saved = SavedStudy {
        name: name.to_owned(),
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
