//! Renders the full report as Markdown.

use format::{code, escape};
use record::Run;

use crate::section::{Block, Section, verdict};
use crate::sections;

/// Renders the full report of a run.
pub fn markdown(run: &Run) -> String {
    let mut lines = vec![format!("# {}", title(run)), String::new()];
    let headline = verdict::headline(run);
    lines.push(format!(
        "**{}**{}",
        headline.verdict,
        escape(&headline.sentence)
    ));
    lines.push(String::new());
    for section in sections::all(run) {
        push_section(&mut lines, &section);
    }
    lines.push(sections::HOW_TO_READ.trim().to_owned());
    lines.push(String::new());
    lines.join("\n")
}

fn title(run: &Run) -> String {
    let script = if run.script.path.is_empty() {
        "a run"
    } else {
        &run.script.path
    };
    let target = match run.target.as_str() {
        "" => String::new(),
        target => format!(" on {}", code(target)),
    };
    let version = run.target_version.as_ref();
    let version = version.map_or(String::new(), |version| {
        format!(", version {}", code(version))
    });
    format!("headcount: {}{target}{version}", code(script))
}

fn push_section(lines: &mut Vec<String>, section: &Section) {
    lines.push(format!("## {}", section.title));
    lines.push(String::new());
    for block in &section.blocks {
        match block {
            Block::Text(text) => lines.push(escape(text)),
            Block::List(points) => {
                lines.extend(points.iter().map(|point| format!("- {}", escape(point))));
            }
            Block::Code(text) => {
                lines.push("````text".to_owned());
                lines.extend(text.lines().map(str::to_owned));
                lines.push("````".to_owned());
            }
            Block::Table(table) => lines.extend(table.markdown()),
        }
        lines.push(String::new());
    }
}
