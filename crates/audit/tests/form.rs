//! `audit.toml`: what it says of mistakes, and what it makes of printed numbers.

#![allow(clippy::unwrap_used, reason = "tests")]

use audit::{NEW_FORM, Severity, audit, read, read_form};

fn refused(text: &str) -> String {
    read_form(text, "audit.toml").unwrap_err().to_string()
}

#[test]
fn the_form_to_fill_in_is_read_and_sound() {
    let results = read_form(NEW_FORM, "audit.toml").unwrap();
    assert_eq!((results.levels.len(), results.claims.len()), (2, 1));
    assert_eq!(
        audit(&results).worst(),
        Some(Severity::Doubtful),
        "p99.9 of 2,000 samples, and nothing worse"
    );
    let by_content = read(&[("notes".to_owned(), NEW_FORM.to_owned())]).unwrap();
    assert_eq!(by_content[0].form, "audit.toml");
}

#[test]
fn mistakes_are_told_with_their_line_and_what_was_meant() {
    let typo = "[[level]]\nname = \"a\"\nuser = 10\n";
    assert_eq!(
        refused(typo),
        "audit.toml:3: `user` is not known here; did you mean `users`?"
    );
    assert_eq!(
        refused("[[level]]\nusers = 3\n"),
        "audit.toml:1: a level needs a `name`"
    );
    let unit = "[[level]]\nname = \"a\"\nmean = \"3 parsec\"\n";
    assert_eq!(
        refused(unit),
        "audit.toml:3: `mean`: `parsec` is no unit of time"
    );
    let level =
        "[[claim]]\nkind = \"linear\"\ntext = \"t\"\nof = \"rate\"\nlevels = [\"a\", \"b\"]\n";
    assert_eq!(refused(level), "audit.toml:1: there is no level `a` above");
    assert!(
        refused("[[claim]]\nkind = \"guess\"\ntext = \"t\"\n")
            .starts_with("audit.toml:1: `guess` is no kind of claim: linear, ")
    );
    assert!(refused("[[level]\n").starts_with("audit.toml:1: "));
}

#[test]
fn a_number_carries_its_place_and_its_digits() {
    let text = "source = \"r.md\"\n[[level]]\nname = \"a\"\nat = \"12\"\nmean = \"1.80\"\nmax = { value = \"2s\", at = \"r.md:99\" }\np50 = 1.5\n";
    let results = read_form(text, "audit.toml").unwrap();
    let times = &results.levels[0].total.times;
    let mean = times.mean.as_ref().unwrap();
    assert_eq!((mean.value, mean.at.as_str()), (1.80, "r.md:12"));
    assert!((mean.slack - 0.01).abs() < 1e-12);
    let max = times.max.as_ref().unwrap();
    assert_eq!(
        (max.value, max.slack, max.at.as_str()),
        (2000.0, 1000.0, "r.md:99")
    );
    assert!((times.percentiles[0].1.slack - 0.1).abs() < 1e-12);
}

#[test]
fn what_is_nobody_s_format_is_refused() {
    for text in ["", "hello", "{\"a\": 1}", "a,b\n1,2\n", "[1, 2]"] {
        let why = read(&[("x".to_owned(), text.to_owned())])
            .unwrap_err()
            .to_string();
        assert!(why.starts_with("x: not recognised"), "{text}: {why}");
    }
    let broken = read(&[("x".to_owned(), "{\"aggregate\": {}}".to_owned())])
        .unwrap_err()
        .to_string();
    assert!(
        broken.contains("looks like an Artillery report, but"),
        "{broken}"
    );
}
