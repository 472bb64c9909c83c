//! `headcount study pages`: the reports of saved studies as Markdown and HTML, with a page that lists them.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use format::{Column, Row, Table};
use record::Run;

use super::saved::SavedStudy;
use crate::exit::Exit;
use crate::save::save_text;
use crate::saved_runs::read_run;
use crate::screen::print;

/// A study with its report.
struct Study {
    saved: SavedStudy,
    markdown: String,
    parts: Vec<(String, Run)>,
}

/// `headcount study pages`
pub(super) fn pages(folders: &[PathBuf], to: &Path) -> anyhow::Result<Exit> {
    let studies = folders
        .iter()
        .map(|folder| read(folder))
        .collect::<anyhow::Result<Vec<_>>>()?;
    for (number, study) in studies.iter().enumerate() {
        let name = &study.saved.name;
        let repeated = studies[..number]
            .iter()
            .any(|other| other.saved.name == *name);
        ensure!(
            !repeated,
            "two of the folders have a study `{name}`, and their pages would have the same name: give one of them"
        );
    }
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for study in &studies {
        write(to, &study.saved.name, &whole(study)?)?;
    }
    let list = index(&studies);
    save_text(to, "README.md", &list)?;
    let list = report::html_of_markdown("Studies", &list.replace(".md)", ".html)"));
    save_text(to, "index.html", &list)?;
    print(&format!("saved  {}\n", to.display()))?;
    Ok(Exit::Passed)
}

fn read(folder: &Path) -> anyhow::Result<Study> {
    let saved = SavedStudy::read(folder)?;
    for name in saved.parts.iter().chain([&saved.name]) {
        let is_plain = |symbol: char| symbol.is_alphanumeric() || "-_ .".contains(symbol);
        ensure!(
            name.chars().all(is_plain) && !name.starts_with('.'),
            "{}: `{name}` is not a name of a study or part",
            folder.join("study.json").display()
        );
    }
    let path = folder.join("report.md");
    let markdown =
        fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let part = |name: &String| Ok((name.clone(), read_run(&folder.join(name))?));
    let parts = saved.parts.iter().map(part);
    Ok(Study {
        parts: parts.collect::<anyhow::Result<_>>()?,
        markdown,
        saved,
    })
}

fn write(to: &Path, name: &str, markdown: &str) -> anyhow::Result<()> {
    save_text(to, &format!("{name}.md"), markdown)?;
    let html = report::html_of_markdown(title(markdown), markdown);
    save_text(to, &format!("{name}.html"), &html)
}

/// Returns the text of the first heading.
fn title(markdown: &str) -> &str {
    let first = markdown.lines().next().unwrap_or_default();
    first.trim_start_matches('#').trim()
}

/// Returns the report of a study, what the published figures alone show, and where ours come from.
fn whole(study: &Study) -> anyhow::Result<String> {
    let report = study.markdown.trim_end();
    let (alone, measured) = (published(&study.saved.name)?, measurements(study));
    Ok(format!(
        "{report}\n\n{alone}## Measurements\n\n{measured}\n"
    ))
}

/// Returns the audit of the published figures as a section. Empty if the study has no published report.
fn published(name: &str) -> anyhow::Result<String> {
    let Some(text) = study::field_report(name) else {
        return Ok(String::new());
    };
    let file = (format!("studies/{name}.toml"), text.to_owned());
    let results = audit::read(&[file])?;
    let sections = results.iter().map(|results| {
        let audit = audit::markdown(&audit::audit(results));
        // The headings move down by one level, and the title is that of the section.
        let lines = audit
            .lines()
            .skip(1)
            .map(|line| match line.strip_prefix("## ") {
                Some(heading) => format!("### {heading}\n"),
                None => format!("{line}\n"),
            });
        lines.collect::<String>()
    });
    Ok(format!(
        "## What the published figures alone show\n{}\n",
        sections.collect::<String>()
    ))
}

/// Lists the parts: when, where and with which version each was measured.
fn measurements(study: &Study) -> String {
    let columns = [
        "part",
        "started",
        "verdict",
        "processor",
        "kernel",
        "program",
    ];
    let columns = columns.map(Column::words).to_vec();
    let rows = study.parts.iter().map(|(name, run)| {
        Row::plain(vec![
            Some(name.clone()),
            Some(run.started_at.clone()),
            Some(run.verdict.to_string()),
            run.machine.cpu.clone(),
            run.machine.kernel.clone(),
            Some(run.tool.clone()),
        ])
    });
    Table::new(columns, rows.collect()).markdown().join("\n")
}

/// Lists the studies, with links to their pages and what they found.
fn index(studies: &[Study]) -> String {
    let entry = |study: &Study| {
        let (name, title) = (&study.saved.name, title(&study.markdown));
        format!(
            "\n## [{title}]({name}.md)\n\n{}\n",
            summary(&study.markdown)
        )
    };
    let entries: String = studies.iter().map(entry).collect();
    format!(
        "# Studies\n\n\
        Each study repeats a published load test on a built-in system, with correct measurements. It shows the published \
        figures beside ours, and the mistakes of the published test with their evidence.\n{entries}"
    )
}

/// Returns the first paragraph, which states what the study found.
fn summary(markdown: &str) -> &str {
    let paragraphs = markdown.split("\n\n").map(str::trim);
    let mut texts = paragraphs.filter(|text| !text.is_empty() && !text.starts_with('#'));
    texts.next().unwrap_or_default()
}
