//! The frame of the page: the head with the security policy, the style, the data and the script.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use format::escape_html;
use sha2::{Digest as _, Sha256};

// Built from `page/src` by `npm run build`.
const REPORT: &str = include_str!("../../page/dist/report.js");
const LIVE: &str = include_str!("../../page/dist/live.js");
const STYLE: &str = concat!(
    include_str!("../../page/style/base.css"),
    include_str!("../../page/style/head.css"),
    include_str!("../../page/style/charts.css"),
    include_str!("../../page/style/tables.css"),
    include_str!("../../page/style/live.css"),
    include_str!("../../page/style/text.css"),
    include_str!("../../page/style/media.css"),
);

/// The script of a page.
#[derive(Clone, Copy, Debug)]
pub(super) enum Code {
    /// Draws the charts of a finished run.
    Report,
    /// Follows a run in progress. It may ask its own server for figures.
    Live,
}

impl Code {
    fn script(self) -> &'static str {
        match self {
            Self::Report => REPORT,
            Self::Live => LIVE,
        }
    }

    /// Returns what the policy permits in addition.
    fn policy(self) -> &'static str {
        match self {
            Self::Report => "",
            Self::Live => "; connect-src 'self'; img-src data:",
        }
    }

    /// Returns further elements of the head. Browsers ask a server for an icon, unless the page names an empty one.
    fn head(self) -> &'static str {
        match self {
            Self::Report => "",
            Self::Live => "<link rel=\"icon\" href=\"data:,\">\n",
        }
    }
}

/// A page.
pub(super) struct Document {
    /// The title in plain text.
    pub(super) title: String,
    /// The content in HTML.
    pub(super) body: String,
    /// The data of the charts in JSON.
    pub(super) data: String,
    pub(super) code: Code,
}

impl Document {
    /// Returns the page with its script and style.
    pub(super) fn html(&self) -> String {
        let (title, body) = (escape_html(&self.title), &self.body);
        let (code, policy, more) = (self.code.script(), self.code.policy(), self.code.head());
        let (script, style) = (hash(code), hash(STYLE));
        let data = harmless(&self.data);
        Frame {
            title: &title,
            policy: &format!("style-src '{style}'; script-src '{script}'{policy}"),
            head: more,
            content: &format!(
                "<main class=\"page\">{body}</main>\n\
                 <script type=\"application/json\" id=\"data\">{data}</script>\n\
                 <script>{code}</script>\n"
            ),
        }
        .html()
    }
}

/// What every page has, whatever it shows.
pub(super) struct Frame<'a> {
    /// The title in HTML.
    pub(super) title: &'a str,
    /// What the security policy permits. Everything else is forbidden.
    pub(super) policy: &'a str,
    /// Further elements of the head.
    pub(super) head: &'a str,
    /// The content of the body in HTML.
    pub(super) content: &'a str,
}

impl Frame<'_> {
    pub(super) fn html(&self) -> String {
        let Self {
            title,
            policy,
            head,
            content,
        } = self;
        format!(
            "<!doctype html>\n\
             <html lang=\"en\">\n\
             <head>\n\
             <meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; {policy}; \
             base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n\
             {head}<style>{STYLE}</style>\n\
             </head>\n\
             <body>\n\
             {content}\
             </body>\n\
             </html>\n"
        )
    }
}

/// Returns the source of a policy that permits exactly this text.
fn hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(Sha256::digest(text)))
}

/// Escapes JSON so that it cannot end the element that holds it. A text from the target may contain `</script>`.
fn harmless(json: &str) -> String {
    json.replace('<', "\\u003c")
}

#[cfg(test)]
mod tests {
    use model::without_credentials;

    use super::*;

    #[test]
    fn a_text_of_the_target_cannot_end_the_data() {
        let json = serde_json::json!({ "name": "</script><!--<script>" }).to_string();
        let escaped = harmless(&json);
        assert!(!escaped.contains('<'), "{escaped}");
        let read: serde_json::Value = serde_json::from_str(&escaped).unwrap();
        assert_eq!(read["name"], "</script><!--<script>");
    }

    #[test]
    fn script_and_style_survive_the_removal_of_credentials_and_end_no_element() {
        for text in [REPORT, LIVE, STYLE] {
            assert_eq!(without_credentials(text), text, "else the hashes are wrong");
            assert!(
                !text.contains("</script") && !text.contains("</style") && !text.contains("<!--")
            );
        }
    }
}
