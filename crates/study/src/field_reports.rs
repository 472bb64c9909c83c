/// Returns the figures of the published report that a study repeats, as input for an audit. `None` if there is no such
/// study.
pub fn field_report(study: &str) -> Option<&'static str> {
    match study {
        "bridge" => Some(include_str!("../../../studies/bridge.toml")),
        "editor" => Some(include_str!("../../../studies/editor.toml")),
        "marketplace" => Some(include_str!("../../../studies/marketplace.toml")),
        "registry" => Some(include_str!("../../../studies/registry.toml")),
        "transcription" => Some(include_str!("../../../studies/transcription.toml")),
        _ => None,
    }
}
