//! The frame of the page: the head with the security policy, the style, the data and the script.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use format::escape_html;
use sha2::{Digest as _, Sha256};

/// Built from `page/src` by `npm run build`.
const SCRIPT: &str = include_str!("../../page/dist/report.js");
const STYLE: &str = concat!(
    include_str!("../../page/style/base.css"),
    include_str!("../../page/style/head.css"),
    include_str!("../../page/style/charts.css"),
    include_str!("../../page/style/tables.css"),
    include_str!("../../page/style/media.css"),
);

/// A page.
pub(super) struct Document {
    /// The title in plain text.
    pub(super) title: String,
    /// The content in HTML.
    pub(super) body: String,
    /// The data of the charts in JSON.
    pub(super) data: String,
}

impl Document {
    /// Returns the page with its script and style.
    pub(super) fn html(&self) -> String {
        let (title, body) = (escape_html(&self.title), &self.body);
        let (script, style) = (hash(SCRIPT), hash(STYLE));
        let data = harmless(&self.data);
        format!(
            "<!doctype html>\n\
             <html lang=\"en\">\n\
             <head>\n\
             <meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{style}'; \
             script-src '{script}'; base-uri 'none'; form-action 'none'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <title>{title}</title>\n\
             <style>{STYLE}</style>\n\
             </head>\n\
             <body>\n\
             <main class=\"page\">{body}</main>\n\
             <script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script>{SCRIPT}</script>\n\
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
        for text in [SCRIPT, STYLE] {
            assert_eq!(without_credentials(text), text, "else the hashes are wrong");
            assert!(
                !text.contains("</script") && !text.contains("</style") && !text.contains("<!--")
            );
        }
    }
}
