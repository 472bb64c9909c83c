//! The study of the registry, whose multicasts reach thousands of receivers.

mod buckets;
mod field;
mod figures;
mod page;
mod parts;
mod settings;
mod tables;

use std::path::Path;

use engine::Stop;
use harness::{Harness, HarnessError, Notice, Part, RedisAndNats};

use crate::ceiling::{self, CeilingPart, Varied};
use crate::parts::{StudyOutcome, StudyPart, folder_of, run_all};
use crate::templates::{self, Templates};
use parts::Parts;
pub use settings::{RegistryBackend, RegistrySettings, Sustained};

const TEMPLATES: &Templates = &[
    ("report.md", include_str!("../templates/registry/report.md")),
    (
        "headline.md",
        include_str!("../templates/registry/headline.md"),
    ),
    (
        "backend.md",
        include_str!("../templates/registry/backend.md"),
    ),
    ("rates.md", include_str!("../templates/registry/rates.md")),
    ("bursts.md", include_str!("../templates/registry/bursts.md")),
    (
        "tenants.md",
        include_str!("../templates/registry/tenants.md"),
    ),
    (
        "sustained.md",
        include_str!("../templates/registry/sustained.md"),
    ),
    (
        "findings.md",
        include_str!("../templates/registry/findings.md"),
    ),
    ("advice.md", include_str!("../templates/registry/advice.md")),
    (
        "terminal.md",
        include_str!("../templates/registry/terminal.md"),
    ),
];

/// The module that the scenarios with the report's mix share.
const MIX: &[(&str, &str)] = &[(
    "registry-mix.ts",
    include_str!("../scenarios/registry-mix.ts"),
)];

/// Creates a part with the report's mix, on a registry with this many receivers.
const fn mix(
    name: &'static str,
    title: &'static str,
    (file, source): (&'static str, &'static str),
    env: &'static [(&'static str, &'static str)],
) -> StudyPart {
    let plain = StudyPart::new(name, title, file, source);
    StudyPart {
        part: Part {
            modules: MIX,
            ..plain.part
        },
        env,
        ..plain
    }
}

const MIXED: (&str, &str) = ("registry-mix.ts", MIX[0].1);
const BURST: (&str, &str) = (
    "registry-burst.ts",
    include_str!("../scenarios/registry-burst.ts"),
);

/// The parts of the study up to the bursts. The evidence refers to them by name.
const PARTS: [StudyPart; 6] = [
    StudyPart::new(
        "report",
        "the field report's test: nobody receives",
        "registry-report.ts",
        include_str!("../scenarios/registry-report.ts"),
    ),
    StudyPart {
        times: Some(("0s", "60s")),
        ..mix(
            "mix3000",
            "the same mix with 3,000 receivers",
            MIXED,
            &[("RECEIVERS", "3000")],
        )
    },
    mix(
        "mix1000",
        "the same mix with 1,000 receivers",
        MIXED,
        &[("RECEIVERS", "1000")],
    ),
    mix(
        "mix100",
        "the same mix with 100 receivers",
        MIXED,
        &[("RECEIVERS", "100")],
    ),
    StudyPart {
        must_be_valid: false,
        must_hold: false,
        ..mix(
            "ramp",
            "rising rates with 100 receivers",
            (
                "registry-ramp.ts",
                include_str!("../scenarios/registry-ramp.ts"),
            ),
            &[("RECEIVERS", "100")],
        )
    },
    StudyPart {
        must_be_valid: false,
        must_hold: false,
        ..mix(
            "overload",
            "rising rates with 3,000 receivers, up to the limit and beyond",
            (
                "registry-overload.ts",
                include_str!("../scenarios/registry-overload.ts"),
            ),
            &[("RECEIVERS", "3000")],
        )
    },
];

/// Three bursts, with short silences or with those of the field report.
const SHORT_SILENCES: StudyPart = mix(
    "burst",
    "three bursts of 500/s, 5 s apart",
    BURST,
    &[("RECEIVERS", "100"), ("SILENCE", "5s")],
);
const LONG_SILENCES: StudyPart = mix(
    "burst",
    "three bursts of 500/s, 50 s apart",
    BURST,
    &[("RECEIVERS", "100"), ("SILENCE", "50s")],
);

const TENANTS: StudyPart = StudyPart {
    env: &[("RECEIVERS", "100")],
    ..StudyPart::new(
        "tenants",
        "ten namespaces at once",
        "registry-tenants.ts",
        include_str!("../scenarios/registry-tenants.ts"),
    )
};

/// The mix for a long time, in which registrations expire.
const fn sustained(title: &'static str, env: &'static [(&'static str, &'static str)]) -> StudyPart {
    StudyPart {
        env,
        ..StudyPart::new(
            "sustained",
            title,
            "registry-sustained.ts",
            include_str!("../scenarios/registry-sustained.ts"),
        )
    }
}
const TEN_MINUTES: StudyPart = sustained("the mix for 10 minutes", &[("DURATION", "10m")]);
const SIXTY_MINUTES: StudyPart = sustained("the mix for 60 minutes", &[("DURATION", "60m")]);

const CEILING: CeilingPart = CeilingPart {
    part: Part {
        name: "ceiling",
        title: "search for the highest rate of the mix with 100 receivers",
        file: MIXED.0,
        source: MIXED.1,
        modules: MIX,
    },
    env: &[("RECEIVERS", "100")],
    varied: Varied::Rate { groups: 2000 },
    words: (
        "The registry holds",
        "operations per second of the mix with 100 receivers",
    ),
    first: 50.0,
    most: 10_000.0,
    budget_s: 240.0,
    limit_s: 0.1,
};

/// Selects the parts that the settings ask for.
fn selected(settings: &RegistrySettings) -> Vec<StudyPart> {
    let mut parts = PARTS.to_vec();
    parts.push(if settings.long_silences {
        LONG_SILENCES
    } else {
        SHORT_SILENCES
    });
    parts.push(TENANTS);
    parts.extend(settings.sustained.map(|length| match length {
        Sustained::TenMinutes => TEN_MINUTES,
        Sustained::SixtyMinutes => SIXTY_MINUTES,
    }));
    parts
}

/// Runs the study of the registry, in less than ten minutes unless the settings ask for more, and without a search with a quota.
/// Every part has a new database, or keys and subjects of its own.
pub fn registry(
    harness: &Harness,
    settings: &RegistrySettings,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<StudyOutcome, HarnessError> {
    let folder = folder_of("registry")?;
    let folder = folder.path();
    settings::write_namespaces(folder)?;
    let servers = match settings.backend {
        RegistryBackend::Started => Some(RedisAndNats::start(&harness.exe, &harness.system_cores)?),
        RegistryBackend::Embedded | RegistryBackend::Running { .. } => None,
    };
    let urls = settings::urls(settings, servers.as_ref());
    let flags = |part: &Part| flags(part.name, urls.as_ref(), folder);
    let parts = selected(settings);
    let parts = run_all("registry", flags, &parts, 1, harness, stop, tell)?;
    let flags = flags(&CEILING.part);
    let system = ("registry", flags.as_slice());
    let ceiling = ceiling::search_last(&CEILING, parts.len(), system, harness, stop, tell)?;
    let shared = urls.is_some();
    Ok(StudyOutcome::told(parts, |parts| {
        let parts = Parts {
            ceiling: ceiling.as_ref(),
            ..Parts::of(parts)
        };
        templates::pages(TEMPLATES, &page::figures(&parts, shared))
    }))
}

fn flags(part: &str, urls: Option<&settings::Urls>, folder: &Path) -> Vec<String> {
    let mut flags = if let Some(urls) = urls {
        urls.flags(part)
    } else {
        let file = folder.join(format!("{part}.db"));
        vec!["--store".to_owned(), format!("sqlite:{}", file.display())]
    };
    if part == TENANTS.part.name {
        let file = settings::namespaces(folder);
        flags.extend(["--namespaces".to_owned(), file.display().to_string()]);
    }
    flags
}

#[cfg(test)]
mod tests;
