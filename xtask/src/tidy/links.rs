//! Checks that links in Markdown files lead to files that exist.

use super::complaint::Complaint;
use super::path::{folder_of, has_extension, join};
use super::repository::Repository;

pub(super) fn check(repository: &Repository) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for (path, text) in repository
        .texts()
        .filter(|(path, _)| has_extension(path, &["md"]))
    {
        for (line, target) in links(text) {
            let file = target.split(['#', '?']).next().unwrap_or_default();
            let found = match file.strip_prefix('/') {
                Some(from_root) => join("", from_root),
                None if file.is_empty() => Some(path.to_owned()),
                None => join(folder_of(path), file),
            };
            if !found.is_some_and(|found| repository.holds(&found)) {
                complaints.push(Complaint::at(
                    path,
                    line,
                    format!("links to `{target}`, which does not exist"),
                ));
            }
        }
    }
    complaints
}

/// Returns the link targets that are files, each with its line. Links in code blocks and code spans are ignored.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    let mut fenced = false;
    for (index, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let prose: String = line.split('`').step_by(2).collect();
        let inline = prose
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        let listed = prose
            .trim_start()
            .strip_prefix('[')
            .and_then(|rest| rest.split_once("]: "));
        let targets = inline.chain(listed.map(|(_, target)| target));
        let targets = targets.filter_map(|target| target.split_whitespace().next());
        found.extend(
            targets
                .filter(|target| is_file(target))
                .map(|target| (index + 1, target.to_owned())),
        );
    }
    found
}

fn is_file(target: &str) -> bool {
    !target.contains("://") && !target.starts_with("mailto:") && !target.starts_with('<')
}

#[cfg(test)]
mod tests {
    use super::links;

    #[test]
    fn links_are_found_in_prose_and_not_in_code() {
        let text =
            "see [a](b.md#part) and [c](https://d)\n```\n[x](y.md)\n```\n`[x](y.md)`\n[e]: f.md\n";
        assert_eq!(
            links(text),
            [(1, "b.md#part".to_owned()), (6, "f.md".to_owned())]
        );
    }
}
