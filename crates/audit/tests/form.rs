//! `audit.toml`: messages for mistakes, and the reading of printed numbers.

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
        "audit.toml:3: unknown key `user`; did you mean `users`?"
    );
    assert_eq!(
        refused("[[level]]\nusers = 3\n"),
        "audit.toml:1: a level needs a `name`"
    );
    let unit = "[[level]]\nname = \"a\"\nmean = \"3 parsec\"\n";
    assert_eq!(
        refused(unit),
        "audit.toml:3: `mean`: `parsec` is not a unit of time"
    );
    let level =
        "[[claim]]\nkind = \"linear\"\ntext = \"t\"\nof = \"rate\"\nlevels = [\"a\", \"b\"]\n";
    assert_eq!(refused(level), "audit.toml:1: no level above is named `a`");
    assert!(
        refused("[[claim]]\nkind = \"guess\"\ntext = \"t\"\n")
            .starts_with("audit.toml:1: unknown `kind` `guess`; expected one of linear, ")
    );
    assert!(refused("[[level]\n").starts_with("audit.toml:1: "));
}

/// Returns the claim of a form with these lines, or the message with which the form is refused.
fn claimed(lines: &str) -> Result<audit::Claim, String> {
    let text = format!(
        "[[level]]\nname = \"a\"\nusers = 10\nmean = \"5ms\"\n[[claim]]\ntext = \"t\"\n{lines}\n"
    );
    let read = read_form(&text, "audit.toml").map_err(|why| why.to_string())?;
    Ok(read.claims[0].clone())
}

#[test]
fn ranges_and_bounds_are_written_as_reports_print_them() {
    let span = |given: &str, key: &str| {
        let claim = claimed(&format!(
            "kind = \"handles\"\nusers = 1\n{key} = \"{given}\""
        ));
        let claim = claim.unwrap_or_else(|why| panic!("{why}"));
        let span = if key == "by" { claim.by } else { claim.think_s };
        span.map(|span| (span.low, span.high))
    };
    assert_eq!(span("4-6x", "by"), Some((3.5, 6.5)));
    assert_eq!(span("10x to 50x", "by"), Some((9.5, 50.5)));
    assert_eq!(span("15\u{2013}30s", "think"), Some((14.5, 30.5)));
    let users = |given: &str| {
        let claim = claimed(&format!("kind = \"handles\"\nusers = \"{given}\""));
        let span = claim.unwrap_or_else(|why| panic!("{why}")).users.unwrap();
        (span.low, span.high)
    };
    assert_eq!(users("1000+"), (1000.0, 1000.0));
    assert_eq!(users("25-30"), (25.0, 30.0));
    assert_eq!(users("500\u{2013}1,500"), (500.0, 1500.0));
    let meets = "kind = \"meets\"\nof = \"mean\"\nlevels = \"a\"\nlimit = ";
    for limit in ["< 100ms", "\u{2264}100ms", "100ms"] {
        let claim = claimed(&format!("{meets}\"{limit}\"")).unwrap();
        assert_eq!(claim.limit.unwrap().value.to_bits(), 100f64.to_bits());
    }
    let text = "[[level]]\nname = \"a\"\ngenerator_cpu = \"> 90%\"\n";
    let rules: Vec<&str> = audit(&read_form(text, "audit.toml").unwrap())
        .findings
        .iter()
        .map(|finding| finding.rule)
        .collect();
    assert_eq!(rules, ["generator-limited"]);
    // A single figure cannot be a range.
    let two = "kind = \"states\"\nof = \"mean\"\nlevels = \"a\"\nvalue = \"67-87ms\"";
    let why = claimed(two).unwrap_err();
    assert!(
        why.ends_with(
            "`value`: `67-87ms` is a range, but this key takes one number: write one table for each number"
        ),
        "{why}"
    );
}

#[test]
fn a_claim_about_a_figure_that_there_is_not_is_refused() {
    let same = |of: &str| claimed(&format!("kind = \"linear\"\nlevels = \"a\"\nof = \"{of}\""));
    for of in ["mean", "p50", "p99.9", "rate", "received", "sessions"] {
        assert!(same(of).is_ok(), "{of}");
    }
    let why = same("latency").unwrap_err();
    assert!(
        why.contains("unknown figure `latency`; expected rate, mean, "),
        "{why}"
    );
    let why = same("recieved").unwrap_err();
    assert!(why.ends_with("did you mean `received`?"), "{why}");
    for (lines, lacks) in [
        ("kind = \"concurrent\"\nusers = 5", "`users` and `levels`"),
        ("kind = \"people\"\nusers = 5", "`users` and `levels`"),
        ("kind = \"peak\"", "`levels`"),
        ("kind = \"verdict\"", "`levels`"),
        (
            "kind = \"within-capacity\"",
            "`users`, or at least two `levels`",
        ),
    ] {
        let why = claimed(lines).unwrap_err();
        assert!(
            why.ends_with(&format!("this kind of claim needs {lacks}")),
            "{why}"
        );
    }
}

#[test]
fn a_claim_that_nothing_can_be_held_against_says_what_it_lacks() {
    let levels = "[[level]]\nname = \"a\"\nusers = 10\nmean = \"5ms\"\n[[level]]\nname = \"b\"\nusers = 20\n";
    for (rule, claim) in [
        (
            "hardly-changes",
            "kind = \"same\"\nof = \"mean\"\nlevels = [\"a\", \"b\"]",
        ),
        (
            "change",
            "kind = \"change\"\nof = \"mean\"\nlevels = [\"a\", \"b\"]",
        ),
        ("within-capacity", "kind = \"within-capacity\"\nusers = 20"),
    ] {
        let text = format!("{levels}[[claim]]\ntext = \"told\"\n{claim}\n");
        let audit = audit(&read_form(&text, "audit.toml").unwrap());
        let says = |one: &&audit::Unchecked| one.rule == rule && one.subjects == ["told"];
        assert!(
            audit.unchecked.iter().any(|one| says(&one)),
            "{rule}: {audit:#?}"
        );
        let checked = audit
            .checked
            .iter()
            .find(|(name, _)| *name == rule)
            .unwrap();
        assert_eq!(checked.1, 0, "{rule}");
    }
}

#[test]
fn who_is_at_work_is_counted_once_where_whole_and_rows_are_told() {
    let figures = "rate = 10\nmean = \"6s\"\n";
    let text = format!(
        "[[level]]\nname = \"a\"\nusers = 100\n{figures}[[level.row]]\nname = \"r\"\n{figures}\
         [[claim]]\nkind = \"concurrent\"\ntext = \"100 at once\"\nusers = 100\nlevels = \"a\"\n"
    );
    let audit = audit(&read_form(&text, "audit.toml").unwrap());
    let found = audit.findings.iter().find(|one| one.rule == "concurrency");
    assert!(found.is_some(), "10/s of 6 s are 60, not 120: {audit:#?}");
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
    for text in ["", " \n", "\u{feff}"] {
        let why = read(&[("x".to_owned(), text.to_owned())]).unwrap_err();
        assert_eq!(why.to_string(), "x: the file is empty");
    }
    for text in ["hello", "{\"a\": 1}", "a,b\n1,2\n", "[1, 2]"] {
        let why = read(&[("x".to_owned(), text.to_owned())])
            .unwrap_err()
            .to_string();
        assert!(why.starts_with("x: unknown format"), "{text}: {why}");
    }
    let broken = read(&[("x".to_owned(), "{\"aggregate\": {}}".to_owned())])
        .unwrap_err()
        .to_string();
    assert!(
        broken.contains("looks like an Artillery report, but"),
        "{broken}"
    );
}
