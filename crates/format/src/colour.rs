//! The meaning of a text, and the colour that shows it.

/// The meaning of a text for its reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// No special meaning.
    #[default]
    Plain,
    /// A good result.
    Good,
    /// The target broke a threshold.
    Bad,
    /// The measurement is not reliable, or cannot decide a threshold.
    Doubtful,
    /// Text that stands out, such as a title.
    Strong,
    /// Text of little importance.
    Quiet,
}

/// Returns the text in the colour of its tone. Without `colour`, returns the text unchanged.
pub fn paint(text: &str, tone: Tone, colour: bool) -> String {
    let code = match tone {
        Tone::Good => "1;32",
        Tone::Bad => "1;31",
        Tone::Doubtful => "33",
        Tone::Strong => "1",
        Tone::Quiet => "2",
        Tone::Plain => return text.to_owned(),
    };
    if colour {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    } else {
        text.to_owned()
    }
}
