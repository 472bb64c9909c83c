//! The meaning of a piece of text, and the colour for it.

/// The meaning of a piece of text for its reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// No special meaning.
    #[default]
    Plain,
    /// A good result.
    Good,
    /// The target broke a threshold.
    Bad,
    /// The measurement is not reliable, or does not decide.
    Doubtful,
    /// The most important words.
    Strong,
    /// Of little importance.
    Quiet,
}

/// Returns the text in the colour of its tone, or unchanged without `colour`.
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
