use record::Note;

/// Returns one sentence without a full stop.
pub(crate) fn note(note: &Note) -> String {
    match note {
        Note::Aborted { level, threshold } => {
            format!(
                "aborted in level {}: {threshold} can no longer hold",
                level + 1
            )
        }
        Note::LeftoversUnknown { url, error } => {
            format!("state left from an earlier run could not be queried at {url}: {error}")
        }
        Note::EndedEarly { error } => format!("the run ended early: {error}"),
        Note::Text { text } => text.clone(),
    }
}
