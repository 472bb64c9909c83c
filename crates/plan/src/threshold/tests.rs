use proptest::prelude::*;

use super::*;

fn subject(key: &str) -> Subject {
    Subject::parse(key).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn keys_name_their_subject() {
    let check = |key: &str, kind, name: Option<&str>| {
        let expected = Subject {
            kind,
            name: name.map(str::to_owned),
        };
        assert_eq!(subject(key), expected);
    };
    check("delivery(said)", SubjectKind::Delivery, Some("said"));
    check("deliveries", SubjectKind::Delivery, None);
    check(
        "request(POST /x/:id)",
        SubjectKind::Request,
        Some("POST /x/:id"),
    );
    check(
        " request( GET /a(b) ) ",
        SubjectKind::Request,
        Some("GET /a(b)"),
    );
    for name in [
        "GET /a{b=c}",
        "{b=c,d=e f}",
        "GET /a/{id}",
        "GET /a/{id}{b=c}",
    ] {
        check(
            &format!("request({name})"),
            SubjectKind::Request,
            Some(name),
        );
    }
    check("step(x{=})", SubjectKind::Step, Some("x{=}"));
    check("requests", SubjectKind::Request, None);
    check("roundTrip(ping)", SubjectKind::RoundTrip, Some("ping"));
    check("roundTrips", SubjectKind::RoundTrip, None);
    check("step(check out)", SubjectKind::Step, Some("check out"));
    check("steps", SubjectKind::Step, None);
    check("iterations", SubjectKind::Iteration, None);
    check("check(is 200)", SubjectKind::Check, Some("is 200"));
    check("checks", SubjectKind::Check, None);
    check("connections", SubjectKind::Connection, None);
    check("metric(basket)", SubjectKind::Metric, Some("basket"));
    check("target", SubjectKind::Target, None);
}

#[test]
fn wrong_keys_say_what_was_meant() {
    let check = |key: &str, hint: &str| {
        let error = Subject::parse(key).expect_err(key);
        assert_eq!(error.hint.as_deref(), Some(hint), "{key}: {error}");
    };
    check("delivry(x)", "did you mean `delivery`?");
    check("reqests", "did you mean `requests`?");
    check(
        "delivery",
        "write `delivery(name)` for one, `deliveries` for all together",
    );
    check("requests(POST /x)", "did you mean `request(POST /x)`?");
    check("metric", "write `metric(name)`");
    check("target(me)", "`target` takes no name: write only `target`");
    for key in [
        "request(GET /{a=})",
        "request({a=b,})",
        "request({a=b=c})",
        "request(x{=b})",
    ] {
        check(
            key,
            "write tags as `{key=value}` or `{key=value,key=value}`",
        );
    }
    let error = Subject::parse("request(GET /{a=})").expect_err("no value");
    assert_eq!(
        (error.span, error.message.as_str()),
        (14..16, "these are no tags")
    );
    let error = Subject::parse("step(x").expect_err("open bracket");
    assert_eq!(
        (error.span, error.message.as_str()),
        (4..6, "the bracket is not closed")
    );
    assert_eq!(
        Subject::parse("step( )").expect_err("empty").message,
        "the name is empty"
    );
}

/// Cells of a row, separated by `|`.
fn rows(table: &str) -> impl Iterator<Item = Vec<&str>> {
    let rows = table.lines().filter(|row| !row.trim().is_empty());
    rows.map(|row| row.split('|').map(str::trim).collect())
}

/// Subject, threshold, aggregate, limit in base units, reason.
const READ: &str = "
delivery(x) | p95 < 100ms         | p95        | 100000000 Nanos  | a duration
requests    | p99.9<=1.5s         | p99.9      | 1500000000 Nanos | without spaces
steps       | mean  <  2 s        | mean       | 2000000000 Nanos | with many
connections | max < 1m            | max        | 60000000000 Nanos | minutes
roundTrips  | min > 1us           | min        | 1000 Nanos       | microseconds
requests    | count >= 1000       | count      | 1000 Count       | how many
requests    | rate > 50/s         | rate       | 50 PerSecond     | per second
requests    | rate > 0.5          | rate       | 0.5 PerSecond    | less than one
iterations  | failed < 0.1%       | failed     | 0.001 Ratio      | a share
checks      | failed == 0         | failed     | 0 Count          | none
deliveries  | lost == 0           | lost       | 0 Count          | a count
deliveries  | late < 1%           | late       | 0.01 Ratio       | a share
deliveries  | delivered >= 99.9%  | delivered  | 0.999 Ratio      | nearly all
deliveries  | duplicated != 3     | duplicated | 3 Count          | odd but clear
deliveries  | reordered == 0      | reordered  | 0 Count          | in order
deliveries  | misdelivered == 0        | misdelivered | 0 Count          | isolated
target      | cpu < 80%           | cpu        | 0.8 Ratio        | of one core
target      | cpu < 350%          | cpu        | 3.5 Ratio        | of several
target      | memory < 500MB      | memory     | 500000000 Bytes  | bytes
metric(t)   | p50 > -1.5          | p50        | -1.5 Plain       | metrics may be negative
metric(t)   | count > 0.5         | count      | 0.5 Plain        | the sum of a counter
";

#[test]
fn conditions_are_read_into_base_units() {
    for row in rows(READ) {
        let [key, text, aggregate, limit, why] = row[..] else {
            panic!("five cells: {row:?}")
        };
        let found = Threshold::parse(&subject(key), text).unwrap_or_else(|e| panic!("{e}"));
        let value = format!("{} {:?}", found.limit.value, found.limit.unit);
        assert_eq!(
            (found.aggregate.to_string().as_str(), value.as_str()),
            (aggregate, limit),
            "{why}"
        );
        assert!(text.contains(&found.op.to_string()), "{why}");
        assert_eq!(found.source, text, "{why}");
    }
}

/// Subject, threshold, the wrong part, words of the message, words of the hint.
const REFUSED: &str = "
requests   |                | | has no operator | expected e.g.
requests   | p95 100ms      | p95 100ms | has no operator | `p95 < 100ms`
requests   | p95 = 1s       | = | unknown operator | did you mean `==`?
requests   | p95 ! 1s       | ! | unknown operator | did you mean `!=`?
requests   | < 1s           | | the aggregate is missing |
requests   | p95 <          | | the limit is missing |
requests   | avg < 1s       | avg | unknown aggregate | did you mean `mean`?
requests   | fialed < 1%    | fialed | unknown aggregate | did you mean `failed`?
requests   | p100 < 1s      | p100 | there is no percentile | p100 is `max`
requests   | p0 < 1s        | p0 | there is no percentile | p0 is `min`
requests   | lost == 0      | lost | does not apply to requests | `failed`
deliveries | failed < 1%    | failed | does not apply to deliveries | `lost`
checks     | p95 < 1s       | p95 | does not apply to checks | `failed`
target     | p95 < 1s       | p95 | does not apply to target | `cpu` and `memory`
requests   | cpu < 1%       | cpu | does not apply to requests | `p95`
requests   | p95 < 100      | 100 | expected a duration | `100ms`
requests   | p95 < 5%       | 5% | expected a duration | unknown unit
requests   | failed < 0.01  | 0.01 | expected a share | `1%`
requests   | failed < 101%  | 101% | expected a share | at most 100%
requests   | failed < -1%   | -1% | expected a share |
requests   | count > 1.5    | 1.5 | expected a whole number |
target     | cpu < 80       | 80 | a share of one core |
target     | memory < 500   | 500 | expected a size | `500MB`
metric(x)  | p95 < 5ms      | 5ms | expected a plain number, without a unit |
deliveries | lost < 0       | lost < 0 | can never hold |
deliveries | lost >= 0      | lost >= 0 | always holds |
";

#[test]
fn wrong_conditions_show_the_part_to_blame() {
    for row in rows(REFUSED) {
        let [key, text, blamed, message, hint] = row[..] else {
            panic!("five cells: {row:?}")
        };
        let error = Threshold::parse(&subject(key), text).expect_err(text);
        assert_eq!(&error.text[error.span.clone()], blamed, "{text}");
        assert!(error.message.contains(message), "{text}: {}", error.message);
        let given = error.hint.unwrap_or_default();
        assert!(given.contains(hint), "{text}: {given}");
    }
}

#[test]
fn a_threshold_holds_or_not() {
    let check = |text: &str, observed: f64, holds: bool, why: &str| {
        let threshold = Threshold::parse(&subject("deliveries"), text).unwrap();
        assert_eq!(
            threshold.holds(observed),
            holds,
            "{text} with {observed}: {why}"
        );
    };
    check("p95 < 100ms", 99_999_999.0, true, "a nanosecond below");
    check("p95 < 100ms", 1e8, false, "equal is not below");
    check("p95 <= 100ms", 1e8, true, "equal is at most");
    check("lost == 0", 0.0, true, "none lost");
    check("lost == 0", 1.0, false, "one lost");
    check("count != 5", 5.0, false, "is five");
    check("rate > 5", 5.1, true, "more");
    check("rate >= 5", 5.0, true, "at least");
    for text in ["p95 < 1s", "p95 > 1s", "lost == 0", "lost != 0"] {
        check(text, f64::NAN, false, "no data is never a pass");
    }
}

#[test]
fn a_figure_of_streams_stands_before_the_aggregate() {
    let read = |text: &str| Threshold::parse(&subject("stream(voice)"), text);
    let check = |text: &str, figure, unit| {
        let threshold = read(text).unwrap_or_else(|why| panic!("{text}: {why}"));
        assert_eq!(
            (threshold.figure, threshold.limit.unit),
            (figure, unit),
            "{text}"
        );
    };
    check("rtf p5 > 0.98", Some(Figure::RealTimeFactor), Unit::Plain);
    check("lag  max < 1s", Some(Figure::Lag), Unit::Nanos);
    check("first p95 < 1s", Some(Figure::First), Unit::Nanos);
    check("final failed < 1%", Some(Figure::Final), Unit::Ratio);
    check("unanswered == 0", None, Unit::Count);
    for wrong in [
        "p95 < 1s",
        "rtf p5 > 1s",
        "lag failed == 0",
        "lags p5 < 1s",
        "lag < 1s",
        "lost == 0",
    ] {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    assert!(Threshold::parse(&subject("requests"), "lag p95 < 1s").is_err());
}

proptest! {
    /// A share computed from counts must equal the same share parsed from text.
    #[test]
    fn a_share_exactly_at_its_limit_is_equal(thousandths in 1..=1000_u32, thousands in 1..2000_u32) {
        let text = format!("delivered == {}.{}%", thousandths / 10, thousandths % 10);
        let threshold = Threshold::parse(&subject("deliveries"), &text).unwrap();
        let (part, whole) = (thousandths * thousands, 1000 * thousands);
        prop_assert!(threshold.holds(f64::from(part) / f64::from(whole)));
    }

    #[test]
    fn no_text_makes_the_parsers_panic(key in ".{0,30}", text in ".{0,30}") {
        let _ = Subject::parse(&key);
        let _ = Threshold::parse(&subject("requests"), &text);
    }

    #[test]
    fn nearly_right_texts_do_not_panic_and_blame_a_part(
        text in "(p[0-9.]{0,4}|lost|failed|cpu)? ?[<>=!]{0,2} ?-?[0-9.]{0,4}(ms|%|é|MB|/s)?",
        key in "(delivery|requests|metric|target)(\\(é?\\)?)?",
    ) {
        if let Err(error) = Subject::parse(&key) {
            prop_assert!(key.get(error.span).is_some());
        }
        for key in ["requests", "deliveries", "metric(x)", "target"] {
            if let Err(error) = Threshold::parse(&subject(key), &text) {
                prop_assert!(text.get(error.span).is_some());
            }
        }
    }
}
