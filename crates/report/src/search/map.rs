//! Renders a ceiling map: a table of group sizes and ceilings, and what dominates in between.

use capacity::search::{CeilingMap, Dominates, SizedSearch, Slope};
use format::{Column, Row, Table, amount, number, plural};

use super::{answer, known, load, scalability};
use crate::terminal::{Page, Terminal};
use crate::words;

/// Renders a ceiling map, ending with a line break.
pub fn ceiling_map(map: &CeilingMap, options: Terminal<'_>) -> String {
    let page = Page::new(options.colour, options.width);
    let mut lines = vec![page.title("Ceiling by group size")];
    lines.extend(page.table(table(map)));
    let slopes = map.slopes();
    if !slopes.is_empty() {
        lines.push(String::new());
    }
    let fits = map.searches.iter().filter_map(fitted);
    let about = slopes.iter().map(sentence).chain(fits);
    lines.extend(about.flat_map(|line| page.paragraph(&line)));
    if let Some(path) = options.saved_to {
        lines.push(format!("saved in {path}"));
    }
    lines.join("\n") + "\n"
}

fn table(map: &CeilingMap) -> Table {
    let columns = vec![
        Column::number("group size"),
        Column::words("ceiling"),
        Column::words("interval (90 %)").minor(1),
        Column::number("users").minor(2),
        Column::words("why no more"),
    ];
    Table::new(columns, map.searches.iter().map(row).collect())
}

fn row(one: &SizedSearch) -> Row {
    let search = &one.search;
    let stable = search.answer.stable;
    let answer = &search.answer;
    let ceiling = match (stable, answer.at_least) {
        (Some(stable), _) => load(stable.load, search.quantity),
        (None, Some(least)) => format!("at least {}", load(least, search.quantity)),
        (None, None) => format!(
            "open: {}",
            known(answer.holds, answer.fails, search.quantity)
        ),
    };
    let interval = stable.map(|stable| {
        let (low, high) = (stable.interval.low.round(), stable.interval.high.round());
        format!("{} to {}", amount(low), amount(high))
    });
    Row {
        cells: vec![
            Some(amount(one.group_size as f64)),
            Some(ceiling),
            interval,
            one.users().map(|(users, ..)| amount(users)),
            search
                .findings
                .first()
                .map(|it| words::finding::name(it).to_owned()),
        ],
        tone: answer::tone(search),
    }
}

/// The fit of the Universal Scalability Law at one group size.
fn fitted(one: &SizedSearch) -> Option<String> {
    let usl = one.search.scalability.as_ref()?.usl()?;
    Some(format!(
        "at {} per group, contention σ is {}, and coherence κ {}",
        plural(one.group_size, "user"),
        scalability::parameter(usl.sigma),
        scalability::parameter(usl.kappa)
    ))
}

/// What dominates between two group sizes.
fn sentence(slope: &Slope) -> String {
    let from_to = format!("from {} to {} users per group", slope.from, slope.to);
    let times = number(slope.fewer_users);
    match slope.dominates {
        Some(Dominates::Users) => {
            format!(
                "{from_to}, the number of users changes only by a factor of {times}: users dominate the cost, not \
                 deliveries"
            )
        }
        Some(Dominates::Deliveries) => format!(
            "{from_to}, the number of users falls by a factor of {times}: each delivery costs the same, so fan-out \
             dominates"
        ),
        Some(Dominates::MoreThanDeliveries) => format!(
            "{from_to}, the number of users falls by a factor of {times}: a delivery costs more in larger groups"
        ),
        None => format!(
            "{from_to}, the number of users falls by a factor of {times}: the intervals are too wide to tell whether \
             users or deliveries dominate"
        ),
    }
}
