//! Facts of the first screen of a page.

/// The title, value and detail of each fact.
pub(crate) fn facts(page: &str) -> Vec<[String; 3]> {
    let (_, rest) = page.split_once("<section class=\"facts\"").unwrap();
    let (facts, _) = rest.split_once("</section>").unwrap();
    let part = |fact: &str, from: &str, to: &str| {
        let (_, rest) = fact.split_once(from).unwrap();
        rest.split_once(to).unwrap().0.to_owned()
    };
    let each = facts.split("<div class=\"fact\">").skip(1);
    each.map(|fact| {
        [
            part(fact, "<h2>", "</h2>"),
            part(fact, "<strong>", "</strong>"),
            part(fact, "<p>", "</p>"),
        ]
    })
    .collect()
}

/// The value and the detail of a fact.
pub(crate) fn fact(page: &str, title: &str) -> (String, String) {
    let found = facts(page).into_iter().find(|[one, ..]| one == title);
    let [_, value, detail] = found.unwrap_or_else(|| panic!("no fact {title}"));
    (value, detail)
}
