use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use anyhow::Context as _;
use clap::CommandFactory as _;

use crate::args::{Args, ManArgs};
use crate::exit::Exit;

/// `headcount man`
pub(crate) fn man(args: &ManArgs) -> anyhow::Result<Exit> {
    let folder = &args.folder;
    let mut command = Args::command().disable_help_subcommand(true);
    command.build();
    fs::create_dir_all(folder)
        .and_then(|()| write_pages(&command, folder))
        .with_context(|| format!("cannot write the manual pages to {}", folder.display()))?;
    Ok(Exit::Passed)
}

/// Writes the page of a command and the pages of its subcommands.
fn write_pages(command: &clap::Command, folder: &Path) -> io::Result<()> {
    for subcommand in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        write_pages(subcommand, folder)?;
    }
    // clap_mangen would fill examples and exit codes like prose, in a section called EXTRA.
    let after = command.get_after_long_help().map(ToString::to_string);
    let page = clap_mangen::Man::new(command.clone().after_long_help(None::<&'static str>));
    let mut text = Vec::new();
    page.render(&mut text)?;
    text.extend(sections(&after.unwrap_or_default()).bytes());
    fs::write(folder.join(page.get_filename()), text)
}

/// Formats the text below the options: one section for each paragraph, with the line breaks of the text. A paragraph
/// without a title is a note.
fn sections(text: &str) -> String {
    let mut page = String::new();
    for paragraph in text.split("\n\n").filter(|text| !text.trim().is_empty()) {
        let titled = paragraph
            .split_once(":\n")
            .or_else(|| paragraph.split_once(": "));
        let (title, lines) = titled
            .filter(|(title, _)| !title.contains(['\n', '.', '`']))
            .unwrap_or(("Notes", paragraph));
        let _ = writeln!(page, ".SH {}\n.nf", title.to_uppercase()); // a String takes any text
        for line in lines.lines() {
            let _ = writeln!(page, "{}", literal(line));
        }
        page.push_str(".fi\n");
    }
    page
}

/// Escapes a line, so that roff prints it unchanged.
fn literal(line: &str) -> String {
    let line = line.replace('\\', "\\e").replace('-', "\\-");
    // A line that begins with one of these would be a request.
    if line.starts_with(['.', '\'']) {
        return format!("\\&{line}");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_and_exit_codes_keep_their_lines() {
        let text = "Examples:\n  headcount a -q \\\n    --b\n\nOne note.\n.Two\n\nExit codes: as for `run`";
        assert_eq!(
            sections(text),
            "\
.SH EXAMPLES
.nf
  headcount a \\-q \\e
    \\-\\-b
.fi
.SH NOTES
.nf
One note.
\\&.Two
.fi
.SH EXIT CODES
.nf
as for `run`
.fi
"
        );
        assert_eq!(sections(""), "");
    }

    #[test]
    fn no_page_has_a_section_without_a_meaningful_title() {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Args::command().disable_help_subcommand(true);
        command.build();
        write_pages(&command, folder.path()).unwrap();
        let pages = fs::read_dir(folder.path()).unwrap();
        let pages: Vec<String> = pages
            .map(|page| fs::read_to_string(page.unwrap().path()).unwrap())
            .collect();
        assert!(pages.iter().all(|page| !page.contains(".SH EXTRA")));
        assert!(
            pages
                .iter()
                .any(|page| page.contains(".SH EXAMPLES\n.nf\n  headcount run room.ts\n"))
        );
    }
}
