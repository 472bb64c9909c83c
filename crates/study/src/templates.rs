//! Renders the reports from the templates in `crates/study/templates`. The templates contain all sentences. The code
//! provides the figures, each under a name.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, Error, UndefinedBehavior, context, escape_formatter};

use format::whole;

/// A list of templates, each with its name and text.
pub(crate) type Templates = [(&'static str, &'static str)];

/// The templates that all studies use.
const SHARED: &Templates = &[
    (
        "environment.md",
        include_str!("../templates/environment.md"),
    ),
    ("causes.md", include_str!("../templates/causes.md")),
    ("ceiling.md", include_str!("../templates/ceiling.md")),
    ("how_many.md", include_str!("../templates/how_many.md")),
    (
        "how_many_short.md",
        include_str!("../templates/how_many_short.md"),
    ),
    ("words.md", include_str!("../templates/words.md")),
];

/// Renders `report.md` and `terminal.md`. If a template is faulty, the page consists of the error message, so that the
/// records of the study are not lost. Tests ensure that no template is faulty.
pub(crate) fn pages(templates: &Templates, figures: &Value) -> (String, String) {
    render_all(templates, figures)
        .unwrap_or_else(|error| (format!("{error:#}\n"), format!("{error:#}\n")))
}

fn render_all(templates: &Templates, figures: &Value) -> Result<(String, String), Error> {
    let environment = environment(templates)?;
    let render = |name: &str, figures: &Value| {
        let text = environment.get_template(name)?.render(figures)?;
        Ok::<String, Error>(unwrapped(&text))
    };
    let markdown = render("report.md", figures)?;
    let claims: Value = headings(&markdown).collect();
    let terminal = render("terminal.md", &context! { claims, ..figures })?;
    Ok((markdown, terminal))
}

fn environment(templates: &Templates) -> Result<Environment<'static>, Error> {
    let mut environment = Environment::new();
    let mut syntax = SyntaxConfig::builder();
    environment.set_syntax(syntax.trim_blocks(true).lstrip_blocks(true).build()?);
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment.set_formatter(|out, state, value| {
        if value.is_none() {
            return Ok(out.write_str("n/a")?);
        }
        match u64::try_from(value.clone()) {
            Ok(count) if value.is_integer() => Ok(out.write_str(&whole(count as f64))?),
            _ => escape_formatter(out, state, value),
        }
    });
    environment.add_filter("whole", |value: Option<f64>| {
        value.map_or("n/a".to_owned(), whole)
    });
    environment.add_filter("digits", |value: Option<f64>, digits: usize| {
        value.map_or("n/a".to_owned(), |value| format!("{value:.digits$}"))
    });
    environment.add_filter("signed", |value: Option<f64>, digits: usize| {
        value.map_or("n/a".to_owned(), |value| format!("{value:+.digits$}"))
    });
    for (name, text) in SHARED.iter().chain(templates) {
        environment.add_template(name, text)?;
    }
    Ok(environment)
}

/// Returns the titles of the findings, which are the third-level headings.
fn headings(markdown: &str) -> impl Iterator<Item = &str> {
    markdown
        .lines()
        .filter_map(|line| line.strip_prefix("### "))
}

/// Joins the lines of each paragraph, so that templates can break lines anywhere. Tables, lists, headings and indented
/// lines stay unchanged. Punctuation at the start of a line is attached to the last word. Several blank lines become
/// one.
fn unwrapped(text: &str) -> String {
    let mut unwrapped = String::new();
    let mut is_open = false; // the last line was part of a paragraph
    for line in text.trim_start_matches('\n').lines().map(str::trim_end) {
        let is_list = line.starts_with("- "); // `-9 %` is prose
        let is_prose = !line.is_empty() && !is_list && !line.starts_with(['|', '#', ' ']);
        if is_open && is_prose {
            unwrapped.truncate(unwrapped.trim_end().len());
            if !line.starts_with(['.', ',', ':', ';']) {
                unwrapped.push(' ');
            }
        }
        if !(line.is_empty() && unwrapped.ends_with("\n\n")) {
            unwrapped.push_str(line);
            unwrapped.push('\n');
        }
        is_open = is_prose;
    }
    unwrapped
}

/// Checks that the templates of a study render, and use exactly the figures that are provided. Also checks that no line
/// of text ends with a tag, because its last word would be joined to the next line.
#[cfg(test)]
pub(crate) fn check(templates: &Templates, figures: &Value) -> (String, String) {
    use std::collections::BTreeSet;

    let environment = environment(templates).unwrap();
    let used: BTreeSet<String> = environment
        .templates()
        .flat_map(|(_, template)| template.undeclared_variables(false))
        .filter(|name| name != "claims")
        .collect();
    let provided = figures.try_iter().unwrap().map(|name| name.to_string());
    assert_eq!(used, provided.collect());
    for (name, text) in SHARED.iter().chain(templates) {
        for line in text.lines().filter(|line| line.ends_with("%}")) {
            let is_tag = line.trim_start().starts_with("{%") && line.matches("{%").count() == 1;
            assert!(
                is_tag,
                "{name}: give the last tag a line of its own: {line}"
            );
        }
    }
    let (markdown, terminal) = render_all(templates, figures).unwrap();
    for text in [&markdown, &terminal] {
        assert!(
            !text.contains("undefined") && !text.contains("NaN"),
            "{text}"
        );
        assert!(!text.contains("  .") && !text.contains(" ,"), "{text}");
    }
    (unaligned(&markdown), terminal)
}

/// Reduces the padding of table cells to one space, so that tests can search for a row.
#[cfg(test)]
fn unaligned(text: &str) -> String {
    let lines = text.lines().map(|line| {
        if line.starts_with('|') {
            line.split_whitespace().collect::<Vec<_>>().join(" ") + "\n"
        } else {
            line.to_owned() + "\n"
        }
    });
    lines.collect()
}

/// Renders one template.
#[cfg(test)]
pub(crate) fn part(templates: &Templates, name: &str, figures: &Value) -> String {
    let environment = environment(templates).unwrap();
    let text = environment.get_template(name).unwrap().render(figures);
    unwrapped(&text.unwrap()).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &'static str, figures: &Value) -> Result<(String, String), Error> {
        render_all(&[("report.md", text), ("terminal.md", "")], figures)
    }

    #[test]
    fn a_name_without_a_figure_is_an_error_and_a_missing_figure_is_not_available() {
        assert!(rendered("{{ lots }} lost", &context! { lost => 1 }).is_err());
        let none = context! { lost => None::<u64> };
        assert_eq!(rendered("{{ lost }} lost", &none).unwrap().0, "n/a lost\n");
        assert!(
            pages(&[("report.md", "{{ lots }}")], &none)
                .0
                .contains("report.md")
        );
    }

    #[test]
    fn counts_have_separators_and_other_numbers_the_digits_that_the_template_asks_for() {
        let text = "{{ lost }}, {{ rate|whole }}, {{ rate|digits(2) }}, {{ rate|signed(1) }}";
        let figures = context! { lost => 12_345, rate => 1_234.567 };
        let (page, _) = rendered(text, &figures).unwrap();
        assert_eq!(page, "12,345, 1,235, 1234.57, +1234.6\n");
    }

    #[test]
    fn only_the_lines_of_paragraphs_are_joined() {
        assert_eq!(unwrapped("-3 % and\n-9 %\n"), "-3 % and -9 %\n");
        let text = "# a\nb\nc\n.\n\n\n| d |\n| e |\nf\n- g\n  h\n";
        assert_eq!(unwrapped(text), "# a\nb c.\n\n| d |\n| e |\nf\n- g\n  h\n");
    }
}
