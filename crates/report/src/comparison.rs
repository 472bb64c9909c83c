//! Renders a comparison of runs: the answer in one sentence, one table per level, and what the comparison cannot tell.

mod compared;
mod headline;
mod notes;
mod table;

use comparison::{Obstacle, ObstacleKind};
use format::paint;

use crate::terminal::{Page, Terminal};
pub(crate) use compared::name_of;

pub use compared::Compared;

/// Renders a comparison for the terminal, ending with a line break.
pub fn comparison(compared: Compared<'_>, options: Terminal<'_>) -> String {
    let page = Page::new(options.colour, options.width);
    let (sentence, tone) = headline::of(compared);
    let headline = page.paragraph(&sentence).into_iter();
    let mut lines: Vec<String> = headline
        .map(|line| paint(&line, tone, options.colour))
        .collect();
    for (level, load) in compared.comparison.levels.iter().enumerate() {
        let table = table::of(compared, level);
        if !table.is_empty() {
            lines.push(String::new());
            lines.push(page.title(load));
            lines.extend(page.table(table));
        }
    }
    lines.push(String::new());
    let notes = notes::of(compared).into_iter();
    lines.extend(notes.flat_map(|note| page.paragraph(&note)));
    lines.join("\n") + "\n"
}

/// Renders a comparison as Markdown, for example for a comment on a pull request.
pub fn comparison_markdown(compared: Compared<'_>) -> String {
    let mut lines = vec![format!("**{}**", headline::of(compared).0)];
    for (level, load) in compared.comparison.levels.iter().enumerate() {
        let table = table::of(compared, level);
        if !table.is_empty() {
            lines.extend([String::new(), format!("### {load}"), String::new()]);
            lines.extend(table.markdown());
        }
    }
    for note in notes::of(compared) {
        lines.extend([String::new(), note]);
    }
    lines.join("\n") + "\n"
}

/// Renders what makes runs not comparable, as the lines of an error. `names` are the files of all runs, those of the base
/// first.
pub fn not_comparable(obstacles: &[Obstacle], names: &[String]) -> String {
    let each = obstacles.iter().map(|obstacle| {
        let of = if obstacle.kind == ObstacleKind::TargetVersion {
            " (of the runs of one side)"
        } else {
            ""
        };
        let place = |run: usize| {
            names
                .get(run)
                .map(|name| format!(" in {name}"))
                .unwrap_or_default()
        };
        let Obstacle {
            base, other, runs, ..
        } = obstacle;
        let kind = name_of(obstacle.kind);
        if runs.0 == runs.1 {
            return format!("\n  {kind}: {other}{}", place(runs.1));
        }
        format!(
            "\n  {kind}{of}: {base}{}\n    against {other}{}",
            place(runs.0),
            place(runs.1)
        )
    });
    let mut kinds: Vec<&str> = obstacles.iter().map(|one| name_of(one.kind)).collect();
    kinds.dedup();
    format!(
        "the runs are not comparable, because the following must be the same:{}\n  to compare them nevertheless, \
         add --allow-different {}",
        each.collect::<String>(),
        kinds.join(",")
    )
}
