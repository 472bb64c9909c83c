//! Runs as other programs read them.

use report::{csv, csv_series, junit};

use crate::common::runs;

#[test]
fn junit_has_a_case_for_each_threshold_in_each_level() {
    insta::assert_snapshot!(junit(&runs::with_losses()).unwrap());
}

#[test]
fn junit_escapes_what_scripts_and_targets_say() {
    let mut run = runs::with_losses();
    run.script.path = "a<b>&\"c\".ts".to_owned();
    let text = junit(&run).unwrap();
    assert!(text.contains("a&lt;b&gt;&amp;&quot;c&quot;.ts"), "{text}");
    assert!(!text.contains("a<b>"), "{text}");
}

/// Reads the XML back and compares the counts of the suites with their cases.
#[test]
fn the_counts_of_junit_are_those_of_its_cases() {
    for run in [
        runs::healthy(),
        runs::with_losses(),
        runs::requests_only(),
        runs::invalid(),
    ] {
        let text = junit(&run).unwrap();
        let cases = text.matches("<testcase").count();
        let stated: usize = numbers(&text, "tests=\"").iter().sum();
        assert_eq!(stated, cases, "{text}");
        let failures: usize = numbers(&text, "failures=\"").iter().sum();
        assert_eq!(failures, text.matches("<failure").count(), "{text}");
        let errors: usize = numbers(&text, "errors=\"").iter().sum();
        assert_eq!(errors, text.matches("<error").count(), "{text}");
    }
}

fn numbers(text: &str, before: &str) -> Vec<usize> {
    let parts = text.split(before).skip(1);
    let numbers = parts.filter_map(|part| part.split('"').next());
    numbers.filter_map(|number| number.parse().ok()).collect()
}

#[test]
fn csv_has_a_row_for_each_name_in_each_level() {
    insta::assert_snapshot!(csv(&runs::with_losses()).unwrap());
}

#[test]
fn every_row_of_csv_has_as_many_cells_as_titles() {
    for run in [
        runs::healthy(),
        runs::with_losses(),
        runs::requests_only(),
        runs::interrupted(),
    ] {
        for text in [csv(&run).unwrap(), csv_series(&run).unwrap()] {
            // The reader refuses rows of other lengths.
            let mut reader = ::csv::Reader::from_reader(text.as_bytes());
            let rows = reader.records().collect::<Result<Vec<_>, _>>().unwrap();
            assert_eq!(rows.len() + 1, text.lines().count());
        }
    }
}
