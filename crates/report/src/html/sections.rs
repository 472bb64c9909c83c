//! The sections of the full report as cards: text, lists and tables.

use format::escape_html;
use record::Run;

use crate::section::{Block, Section};
use crate::sections;

/// Sections whose content is shown at once. The others are opened by a click, because their tables are long.
const OPEN: &[&str] = &["Remarks", "Levels", "Findings", "Thresholds", "Failures"];

/// Sections of levels that are shown while a run is in progress.
const SO_FAR: &[&str] = &["Levels", "Thresholds", "Deliveries", "Failures"];

/// Returns the sections of finished levels while a run is in progress.
pub(super) fn so_far(run: &Run) -> String {
    let sections = sections::all(run);
    let shown = sections
        .iter()
        .filter(|section| SO_FAR.contains(&section.title));
    shown.map(section).collect()
}

/// Returns all sections, the script and the notes on how to read the report.
pub(super) fn all(run: &Run) -> String {
    let sections = sections::all(run);
    let mut html: String = sections.iter().map(section).collect();
    if !run.script.source.is_empty() {
        let source = escape_html(&run.script.source);
        html.push_str(&card(
            "Script",
            &format!("<pre tabindex=\"0\">{source}</pre>"),
            false,
        ));
    }
    html.push_str(&card("How to read it", &how_to_read(), false));
    format!("<section class=\"details\" id=\"details\">{html}</section>")
}

fn section(section: &Section) -> String {
    let blocks: String = section.blocks.iter().map(block).collect();
    card(section.title, &blocks, OPEN.contains(&section.title))
}

fn card(title: &str, content: &str, open: bool) -> String {
    let id = title.to_lowercase().replace(' ', "-");
    let open = if open { " open" } else { "" };
    let title = escape_html(title);
    format!(
        "<details class=\"card\" id=\"section-{id}\"{open}><summary><h2>{title}</h2></summary>{content}</details>"
    )
}

fn block(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("<p>{}</p>", escape_html(text)),
        Block::List(points) => {
            let item = |point: &String| format!("<li>{}</li>", escape_html(point));
            format!("<ul>{}</ul>", points.iter().map(item).collect::<String>())
        }
        Block::Code(text) => format!("<pre tabindex=\"0\">{}</pre>", escape_html(text)),
        Block::Table(table) => {
            format!("<div class=\"table\" tabindex=\"0\">{}</div>", table.html())
        }
    }
}

/// Converts the notes from Markdown: a list whose lines may be broken, with words in backticks.
fn how_to_read() -> String {
    let notes = sections::HOW_TO_READ.split("\n- ").skip(1);
    let item = |note: &str| {
        let words: Vec<&str> = note.split_whitespace().collect();
        let text = escape_html(&words.join(" "));
        let parts = text.split('`').enumerate();
        let parts = parts.map(|(index, part)| match index % 2 {
            0 => part.to_owned(),
            _ => format!("<code>{part}</code>"),
        });
        format!("<li>{}</li>", parts.collect::<String>())
    };
    format!("<ul>{}</ul>", notes.map(item).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notes_become_a_list_without_markup_of_markdown() {
        let html = how_to_read();
        assert!(html.contains("<code>&gt; 15 s</code>"), "{html}");
        assert!(!html.contains('`') && !html.contains("## "), "{html}");
        assert_eq!(
            html.matches("<li>").count(),
            sections::HOW_TO_READ.matches("\n- ").count()
        );
    }

    #[test]
    fn what_a_target_said_cannot_become_markup() {
        let html = block(&Block::List(vec![
            "<img src=x onerror=alert(1)>".to_owned(),
        ]));
        assert_eq!(html, "<ul><li>&lt;img src=x onerror=alert(1)&gt;</li></ul>");
    }
}
