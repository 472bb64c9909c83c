//! A page of text and tables in the style of the report, made from Markdown.

use format::escape_html;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html::push_html};

use super::document::Frame;

/// Renders Markdown as one page of HTML that needs no network and no script. HTML in the Markdown is shown as text,
/// because names of the target may contain some.
pub fn html_of_markdown(title: &str, markdown: &str) -> String {
    let events = Parser::new_ext(markdown, Options::ENABLE_TABLES);
    let mut body = String::new();
    push_html(&mut body, events.flat_map(shown));
    Frame {
        title: &format!("{} · headcount", escape_html(title)),
        // Alignment is an attribute of each cell. Without a script, styles of elements can do no harm.
        policy: "style-src 'unsafe-inline'",
        head: "",
        content: &format!(
            "<main class=\"page\"><article class=\"card text\">\n{body}</article></main>\n"
        ),
    }
    .html()
}

/// Replaces an event. A table scrolls by itself where the page is too narrow.
fn shown(event: Event<'_>) -> Vec<Event<'_>> {
    match event {
        Event::Html(text) | Event::InlineHtml(text) => vec![Event::Text(text)],
        Event::Start(Tag::Table(_)) => vec![
            Event::Html("<div class=\"table\" tabindex=\"0\">".into()),
            event,
        ],
        Event::End(TagEnd::Table) => vec![event, Event::Html("</div>\n".into())],
        other => vec![other],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_becomes_a_page_and_its_html_becomes_text() {
        let page = html_of_markdown(
            "A & B",
            "# Title\n\nOne <b>bold</b> word.\n\n| a | b |\n| --- | ---: |\n| x | 1 |\n\n- [link](other.html)\n",
        );
        for part in [
            "<title>A &amp; B · headcount</title>",
            "<h1>Title</h1>",
            "&lt;b&gt;bold&lt;/b&gt;",
            "<div class=\"table\" tabindex=\"0\"><table>",
            "<td style=\"text-align: right\">1</td>",
            "<a href=\"other.html\">link</a>",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(!page.contains("<script"));
    }
}
