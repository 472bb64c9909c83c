//! What a piece of text means, and the colour for it.

/// What a piece of text means to its reader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Tone {
    /// Nothing special.
    #[default]
    Plain,
    /// All is well.
    Good,
    /// The target broke a promise.
    Bad,
    /// The measurement cannot be relied on.
    Doubtful,
    /// The most important words.
    Strong,
    /// Worth little attention.
    Quiet,
}

/// The text in its colour, or as it is.
pub(crate) fn paint(text: &str, tone: Tone, colour: bool) -> String {
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
