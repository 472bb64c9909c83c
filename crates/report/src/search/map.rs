//! Renders a ceiling map: a table of group sizes and ceilings, and what dominates in between.

use capacity::search::{CeilingMap, Dominates, SizedSearch, Slope};
use format::{Column, Row, Table, amount, number, plural};

use super::{answer, load, scalability};
use crate::terminal::{Page, Terminal};
use crate::words;

/// Renders a ceiling map, ending with a line break.
pub fn ceiling_map(map: &CeilingMap, options: Terminal<'_>) -> String {
    let page = Page::new(options.colour, options.width);
    let mut lines = vec![page.title("Ceiling by group size")];
    lines.extend(page.table(table(map)));
    let slopes = map.slopes();
    lines.push(String::new());
    let fits = map.searches.iter().filter_map(fitted);
    let open = map.searches.iter().filter_map(open);
    let about = slopes.iter().map(sentence).chain(fits).chain(open);
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
        (None, None) => "open".to_owned(),
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

/// Why there is no ceiling, and what to do.
fn open(one: &SizedSearch) -> Option<String> {
    let search = &one.search;
    if search.answer.stable.is_some() {
        return None;
    }
    let users = plural(one.group_size, "user");
    let next = answer::next_step(search).map_or(String::new(), |step| format!("; next: {step}"));
    let why = answer::headline(search);
    Some(format!("at {users} per group, {why}{next}"))
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
