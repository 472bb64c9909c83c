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

use record::Run;

use document::Document;

/// Renders the full report of a run as one file.
pub fn html(run: &Run) -> String {
    let body = [
        head::bar(run),
        head::verdict(run),
        facts::section(run),
        CHARTS.to_owned(),
        sections::all(run),
    ];
    let document = Document {
        title: head::title(run),
        body: body.concat(),
        data: data::json(run),
    };
    document.html()
}

/// The place for the charts, which the script fills.
const CHARTS: &str = "<section class=\"charts\" id=\"charts\" aria-label=\"Charts\"></section>\
    <noscript><p class=\"note\">The charts need JavaScript. All figures are in the tables below.</p></noscript>";
