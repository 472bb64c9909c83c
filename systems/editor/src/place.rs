//! The location of the saved documents.

use std::io;

use tempfile::TempDir;

/// The URL of the store. If the store is in a temporary folder, dropping this value deletes the folder.
#[derive(Debug)]
pub(crate) struct Place {
    pub(crate) url: String,
    folder: Option<TempDir>,
}

impl Place {
    /// Returns the configured store, or else a new file in a temporary folder. With separate files, a load test does
    /// not find the documents of an earlier run.
    pub(crate) fn of(store: Option<&str>) -> io::Result<Self> {
        if let Some(url) = store {
            return Ok(Self {
                url: url.to_owned(),
                folder: None,
            });
        }
        let folder = TempDir::with_prefix("headcount-editor-")?;
        let file = folder.path().join("documents.db");
        Ok(Self {
            url: format!("sqlite:{}", file.display()),
            folder: Some(folder),
        })
    }

    pub(crate) fn is_temporary(&self) -> bool {
        self.folder.is_some()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::Place;

    #[test]
    fn without_a_store_documents_are_saved_in_a_folder_that_is_deleted_at_the_end() {
        let place = Place::of(None).unwrap();
        assert!(place.is_temporary());
        let file = place.url.strip_prefix("sqlite:").unwrap().to_owned();
        let folder = Path::new(&file).parent().unwrap().to_owned();
        assert!(folder.is_dir());
        drop(place);
        assert!(!folder.exists());
        let given = Place::of(Some("sqlite:mine.db")).unwrap();
        assert_eq!(
            (given.url.as_str(), given.is_temporary()),
            ("sqlite:mine.db", false)
        );
    }
}
