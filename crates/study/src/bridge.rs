use std::fmt::Write as _;

use engine::Stop;
use record::{Level, Run};
use stage::{Notice, Part, Stage, StageError};

use crate::evidence;
use crate::field::{BRIDGE, FieldRow};
use crate::parts::{PartRun, StudyOutcome, StudyPart, run_all};
use crate::story::{deliveries, level_at, millis, millis_of, per_s, requests, session_cost, whole};

/// The parts, with the names under which the evidence finds them.
const PARTS: [StudyPart; 4] = [
    StudyPart {
        part: Part {
            name: "short",
            title: "what the field report did: 20 messages a user, each size ten times",
            file: "bridge-short.ts",
            source: include_str!("../scenarios/bridge-short.ts"),
        },
        must_be_sound: false,
    },
    StudyPart {
        part: Part {
            name: "http",
            title: "the same workload, long enough to measure",
            file: "bridge-http.ts",
            source: include_str!("../scenarios/bridge-http.ts"),
        },
        must_be_sound: false,
    },
    StudyPart {
        part: Part {
            name: "rooms",
            title: "the same rooms by WebSocket at the pace of people",
            file: "bridge-rooms.ts",
            source: include_str!("../scenarios/bridge-rooms.ts"),
        },
        must_be_sound: true,
    },
    StudyPart {
        part: Part {
            name: "crowd",
            title: "ten thousand open sessions",
            file: "bridge-crowd.ts",
            source: include_str!("../scenarios/bridge-crowd.ts"),
        },
        must_be_sound: true,
    },
];

/// The parts that were run; a part is missing when the study was stopped before it.
pub(crate) struct Parts<'a> {
    pub(crate) short: Option<&'a Run>,
    pub(crate) http: Option<&'a Run>,
    pub(crate) rooms: Option<&'a Run>,
    pub(crate) crowd: Option<&'a Run>,
}

impl<'a> Parts<'a> {
    fn of(parts: &'a [PartRun]) -> Self {
        let named = |name| {
            parts
                .iter()
                .find(|part| part.name == name)
                .map(|part| &part.record)
        };
        Self {
            short: named("short"),
            http: named("http"),
            rooms: named("rooms"),
            crowd: named("crowd"),
        }
    }
}

/// The study of the bridge: about four minutes.
pub fn bridge(
    stage: &Stage,
    stop: &Stop,
    tell: &mut dyn FnMut(Notice<'_>),
) -> Result<StudyOutcome, StageError> {
    let parts = run_all("bridge", &PARTS, stage, stop, tell)?;
    let (markdown, terminal) = {
        let parts = Parts::of(&parts);
        (markdown(&parts), terminal(&parts))
    };
    Ok(StudyOutcome {
        parts,
        markdown,
        terminal,
    })
}

fn headline(parts: &Parts<'_>) -> String {
    let top = parts.http.and_then(|run| level_at(run, 20));
    let crowd = parts.rooms.and_then(|run| run.levels.last());
    let mut text = String::new();
    if let Some(level) = top {
        let field = BRIDGE[2].per_s;
        let _ = write!(
            text,
            "20 users without a pause: {}{} messages/s, p99 {} ms — the field report's server made {} ({:.1} times).",
            at_least(level),
            whole(per_s(level)),
            millis(requests(level).response_at(0.99)),
            whole(field),
            per_s(level) / field
        );
    }
    if let Some(level) = crowd {
        let all = deliveries(level);
        let _ = write!(
            text,
            " {} people at their own pace: {} of {} deliveries made, p95 {} ms, {} lost, {} duplicated, {} strayed{}.",
            whole(level.load.users as f64),
            whole(all.delivered as f64),
            whole(all.expected as f64),
            millis(all.latency_at(0.95)),
            all.lost_count(),
            all.duplicated,
            all.strayed_count(),
            unsound(level)
        );
    }
    text.trim_start().to_owned()
}

/// Where the generator was the limit, the system can do more: the figure is a lower bound.
fn at_least(level: &Level) -> &'static str {
    if level.sound { "" } else { "at least " }
}

fn unsound(level: &Level) -> &'static str {
    if level.sound {
        ""
    } else {
        " (NOT SOUND: the generator was the limit)"
    }
}

fn terminal(parts: &Parts<'_>) -> String {
    let mut text = format!("{}\n\n", headline(parts));
    text.push_str("Beside the field report (requests without a pause)\n");
    text.push_str("  users   their msg/s   p50 ms  p99 ms     our msg/s   p50 ms  p99 ms   errors   CPU of the \
         bridge\n");
    for field in &BRIDGE {
        let _ = write!(
            text,
            "  {:>5} {:>13} {:>8.2} {:>7.2}",
            field.users,
            whole(field.per_s),
            field.p50_ms,
            field.p99_ms
        );
        if let Some(level) = parts.http.and_then(|run| level_at(run, field.users)) {
            let all = requests(level);
            let _ = write!(
                text,
                " {:>13} {:>8} {:>7} {:>8} {:>19}",
                whole(per_s(level)),
                millis(all.response_at(0.5)),
                millis(all.response_at(0.99)),
                all.failed,
                cpu(level)
            );
            if !level.sound {
                text.push_str("   at least: the generator was the limit");
            }
        }
        text.push('\n');
    }
    text.push_str("\nThe same rooms by WebSocket, everyone speaks every 5 s (deliveries)\n");
    text.push_str("  users   expected  delivered   lost  dup.  strayed   p50 ms  p95 ms  p99 ms   last p95 ms   CPU\n");
    for level in parts.rooms.iter().flat_map(|run| &run.levels) {
        text.push_str(&room_line(level));
    }
    if let Some(line) = parts.crowd.and_then(session_cost) {
        let _ = write!(text, "\n{line}\n");
    }
    text.push_str("\nWhat the field report got wrong (report.md has the evidence)\n");
    for finding in evidence::all(parts) {
        let _ = writeln!(text, "  {:<5} {}", finding.id, finding.claim);
    }
    text
}

fn room_line(level: &Level) -> String {
    let all = deliveries(level);
    format!(
        "  {:>5} {:>10} {:>10} {:>6} {:>5} {:>8} {:>8} {:>7} {:>7} {:>13} {:>5}{}\n",
        whole(level.load.users as f64),
        whole(all.expected as f64),
        whole(all.delivered as f64),
        all.lost_count(),
        all.duplicated,
        all.strayed_count(),
        millis(all.latency_at(0.5)),
        millis(all.latency_at(0.95)),
        millis(all.latency_at(0.99)),
        millis(stats::estimate(&all.last, 0, 0.95)),
        cpu(level),
        unsound(level)
    )
}

fn cpu(level: &Level) -> String {
    let percent = level.target.as_ref().and_then(|target| target.cpu_percent);
    percent.map_or("n/a".to_owned(), |percent| format!("{percent:.0} %"))
}

fn markdown(parts: &Parts<'_>) -> String {
    let mut text = format!("# The bridge, measured again\n\n{}\n\n", headline(parts));
    text.push_str(
        "The field report (\"Stress Test Results: 10 and 20 Concurrent Users\", 13 April 2026) tested a Python \
         server that is not public. This study runs its workload on headcount's own bridge, which was built from \
         the report: the figures of the two servers are shown side by side, and are no comparison of one server \
         with itself. What is compared is the method.\n\n",
    );
    text.push_str("## The report's workload: messages without a pause\n\n");
    text.push_str(
        "| users | report: msg/s | p50 | p95 | p99 ms | ours: msg/s | p50 | p95 | p99 | max ms | \
         failed | CPU bridge | busiest worker | sound |\n",
    );
    text.push_str("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | \
         --- |\n");
    for field in &BRIDGE {
        text.push_str(&http_row(field, parts.http));
    }
    text.push_str(
        "\nOurs: 10 s after 2 s of warm-up, clean sessions before each level, generator and bridge on one machine. \
         Users without a pause drive generator and bridge to their limits: where the generator came to its own \
         first, the throughput is a lower bound of what the bridge can do, and the times are upper bounds. \
         Throughput and response time are one measurement told twice \
         (see B-X2).\n\n",
    );
    text.push_str("## The same rooms by WebSocket, at the pace of people\n\nEveryone says something every 5 s \
         and everyone in the room hears it: five rooms, 15 s each level.\n\n");
    text.push_str("| users | messages | deliveries expected | delivered | late | lost | duplicated | reordered \
         | strayed | p50 | p95 | p99 | max | last p95 ms | CPU bridge | memory MB | sound |\n");
    text.push_str("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | \
         ---: | ---: | ---: | --- |\n");
    for level in parts.rooms.iter().flat_map(|run| &run.levels) {
        text.push_str(&room_row(level));
    }
    text.push_str("\n`n/a`: too few samples for that percentile. `last`: until the last of a message's audience \
         had it.\n\n");
    if let Some(line) = parts.crowd.and_then(session_cost) {
        let _ = write!(text, "## Ten thousand sessions\n\n{line}\n\n");
    }
    text.push_str("## What the field report got wrong\n\n");
    for finding in evidence::all(parts) {
        let _ = write!(
            text,
            "### {} {}\n\n{}\n\n",
            finding.id, finding.claim, finding.evidence
        );
    }
    text.push_str(&environment(parts));
    text
}

fn http_row(field: &FieldRow, run: Option<&Run>) -> String {
    let optional =
        |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.2}"));
    let theirs = format!(
        "| {} | {} | {:.2} | {} | {:.2} ",
        field.users,
        whole(field.per_s),
        field.p50_ms,
        optional(field.p95_ms),
        field.p99_ms
    );
    let Some(level) = run.and_then(|run| level_at(run, field.users)) else {
        return format!("{theirs}| not measured | | | | | | | | |\n");
    };
    let all = requests(level);
    let busiest = level
        .generator
        .busiest_worker_percent
        .map_or("n/a".to_owned(), |busy| format!("{busy:.0} %"));
    format!(
        "{theirs}| {} | {} | {} | {} | {} | {} | {} | {busiest} | {} |\n",
        whole(per_s(level)),
        millis(all.response_at(0.5)),
        millis(all.response_at(0.95)),
        millis(all.response_at(0.99)),
        millis_of(all.longest()),
        all.failed,
        cpu(level),
        if level.sound {
            "yes"
        } else {
            "lower bound: the generator was the limit"
        }
    )
}

fn room_row(level: &Level) -> String {
    let all = deliveries(level);
    let memory = level
        .target
        .as_ref()
        .and_then(|target| target.memory_mb_max);
    format!(
        "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n",
        whole(level.load.users as f64),
        whole(all.messages as f64),
        whole(all.expected as f64),
        whole(all.delivered as f64),
        all.late,
        all.lost_count(),
        all.duplicated,
        all.reordered,
        all.strayed_count(),
        millis(all.latency_at(0.5)),
        millis(all.latency_at(0.95)),
        millis(all.latency_at(0.99)),
        millis_of(all.latency.max()),
        millis(stats::estimate(&all.last, 0, 0.95)),
        cpu(level),
        memory.map_or("n/a".to_owned(), |memory| format!("{memory:.1}")),
        sound(level)
    )
}

fn sound(level: &Level) -> String {
    if level.sound {
        "yes".to_owned()
    } else {
        format!("NOT SOUND: {}", level.unsound_reasons.join("; "))
    }
}

fn environment(parts: &Parts<'_>) -> String {
    let runs = [parts.short, parts.http, parts.rooms, parts.crowd];
    let Some(run) = runs.into_iter().flatten().next() else {
        return "Nothing was measured.\n".to_owned();
    };
    let machine = &run.machine;
    format!(
        "## Where this was measured\n\n{}; {} cores; {} MB of memory; kernel {}; {}; seed {}; from {} on. \
         The bridge ran as a process of its own; each part's folder holds its run.json with everything else.\n",
        machine.cpu.as_deref().unwrap_or("unknown CPU"),
        machine
            .cores
            .map_or("?".to_owned(), |cores| cores.to_string()),
        machine
            .memory_mb
            .map_or("?".to_owned(), |memory| memory.to_string()),
        machine.kernel.as_deref().unwrap_or("?"),
        run.tool,
        run.seed,
        run.started_at
    )
}
