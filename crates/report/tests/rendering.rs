//! Whole reports as their readers see them.

mod common;
#[path = "rendering/exports.rs"]
mod exports;
#[path = "common/shop.rs"]
mod shop;

use common::{runs, targets};
use record::Run;
use report::{Terminal, markdown, terminal};

fn on_terminal(run: &Run) -> String {
    terminal(
        run,
        Terminal {
            colour: false,
            width: Some(122),
            trace: false,
            saved_to: Some("runs/room/run.json"),
        },
    )
}

#[test]
fn healthy_on_the_terminal() {
    insta::assert_snapshot!(on_terminal(&runs::healthy()));
}

#[test]
fn healthy_in_markdown() {
    insta::assert_snapshot!(markdown(&runs::healthy()));
}

#[test]
fn losses_on_the_terminal() {
    insta::assert_snapshot!(on_terminal(&runs::with_losses()));
}

#[test]
fn losses_in_markdown() {
    insta::assert_snapshot!(markdown(&runs::with_losses()));
}

#[test]
fn invalid_on_the_terminal() {
    insta::assert_snapshot!(on_terminal(&runs::invalid()));
}

#[test]
fn interrupted_before_anything_on_the_terminal() {
    insta::assert_snapshot!(on_terminal(&runs::interrupted()));
}

#[test]
fn interrupted_before_anything_in_markdown() {
    insta::assert_snapshot!(markdown(&runs::interrupted()));
}

#[test]
fn one_level_of_requests_on_the_terminal() {
    insta::assert_snapshot!(on_terminal(&runs::requests_only()));
}

#[test]
fn one_level_of_requests_in_markdown() {
    insta::assert_snapshot!(markdown(&runs::requests_only()));
}

#[test]
fn ten_crowded_levels_on_the_terminal() {
    insta::assert_snapshot!(on_terminal(&runs::crowded()));
}

#[test]
fn many_long_names_at_80_columns() {
    let options = Terminal {
        width: Some(80),
        ..Terminal::default()
    };
    insta::assert_snapshot!(terminal(&shop::shop(), options));
}

#[test]
fn a_target_in_trouble_on_the_terminal() {
    insta::assert_snapshot!(on_terminal(&targets::in_trouble()));
}

#[test]
fn a_target_in_trouble_in_markdown() {
    insta::assert_snapshot!(section(&targets::in_trouble(), "Target"));
}

#[test]
fn a_target_known_by_its_endpoint_in_markdown() {
    insta::assert_snapshot!(section(&targets::elsewhere(), "Target"));
}

/// One section of the full report.
fn section(run: &Run, title: &str) -> String {
    let report = markdown(run);
    let start = report.find(&format!("## {title}\n")).unwrap_or_default();
    let rest = &report[start..];
    let end = rest[1..].find("\n## ").map_or(rest.len(), |end| end + 1);
    rest[..end].to_owned()
}
