//! Renders the full report as one page of HTML that needs no network.
//!
//! Verdict, facts and tables are plain HTML, so the page is complete without scripts. A script adds the charts, from
//! the data at the end of the page, and makes tables sortable. The page's policy permits exactly this script and this
//! style, and nothing from any host.

mod data;
mod document;
mod facts;
mod head;
mod sections;
mod text;

use record::Run;

use document::{Code, Document};

pub(crate) use data::PageData;
pub use text::html_of_markdown;

/// Renders the full report of a run as one file.
pub fn html(run: &Run) -> String {
    html_after(run, None)
}

/// Renders the full report of a run as one file. The first screen says what changed since an earlier run of the same
/// script, if there is one.
pub fn html_after(run: &Run, last: Option<&Run>) -> String {
    let body = [
        head::bar(run),
        head::verdict(run),
        facts::section(run, last),
        CHARTS.to_owned(),
        sections::all(run),
    ];
    let document = Document {
        title: head::title(run),
        body: body.concat(),
        data: PageData::of(run).json(),
        code: Code::Report,
    };
    document.html()
}

/// Renders the page of a run in progress. It has no figures: its script asks for them.
pub(crate) fn live(run: &Run) -> String {
    let body = [head::bar(run), LIVE.to_owned()];
    let document = Document {
        title: "Live · headcount".to_owned(),
        body: body.concat(),
        data: "null".to_owned(),
        code: Code::Live,
    };
    document.html()
}

/// Returns the data of the charts of finished levels.
pub(crate) fn page_data(run: &Run) -> PageData {
    PageData::of(run)
}

/// Returns the tables of finished levels.
pub(crate) fn live_tables(run: &Run) -> String {
    sections::so_far(run)
}

/// Returns the verdict as a section.
pub(crate) fn verdict(run: &Run) -> String {
    head::verdict(run)
}

/// The parts of the live page, which the script fills.
const LIVE: &str = "<div id=\"state\"></div>\
    <p class=\"note lost\" id=\"connection\" role=\"status\"></p>\
    <section class=\"facts tiles\" id=\"tiles\" aria-label=\"Latest figures\"></section>\
    <section class=\"charts\" id=\"charts\" aria-label=\"Charts\"></section>\
    <p class=\"note\" id=\"merged\" hidden></p>\
    <section class=\"details\" id=\"warnings\" aria-label=\"Warnings\" hidden></section>\
    <section class=\"details\" id=\"details\" aria-label=\"Finished levels\"></section>\
    <noscript><p class=\"note\">The live page needs JavaScript. The report after the run does not.</p></noscript>";

/// The place for the charts, which the script fills.
const CHARTS: &str = "<section class=\"charts\" id=\"charts\" aria-label=\"Charts\"></section>\
    <noscript><p class=\"note\">The charts need JavaScript. All figures are in the tables below.</p></noscript>";
