//! The supported languages, under the names that the page uses.

/// One language.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Language {
    /// The name that clients send.
    pub(super) name: &'static str,
    /// The file with the code, in the sandbox's `/tmp`.
    pub(super) file: &'static str,
    /// The command that must exist for the language to be available.
    pub(super) command: &'static str,
    /// The Debian package with that command.
    pub(super) package: &'static str,
    /// The script that bash runs in the file's directory. It never contains text from a client.
    pub(super) script: &'static str,
}

/// `print` is defined in a separate file, so that the code keeps its line and column numbers.
const NODE: &str =
    "echo 'globalThis.print = console.log;' > .print.cjs && exec node -r ./.print.cjs main.js";

/// Compiles and runs a file in one step. The second compiler and parallel garbage collection do not pay off for a
/// program that runs a few seconds.
const JAVA: &str = "exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xmx256m Main.java";

const LANGUAGES: &[Language] = &[
    language("javascript", "main.js", "node", "nodejs", NODE),
    language(
        "python",
        "main.py",
        "python3",
        "python3",
        "exec python3 main.py",
    ),
    language(
        "clike",
        "main.cpp",
        "g++",
        "g++",
        "g++ main.cpp -o program && exec ./program",
    ),
    language("java", "Main.java", "javac", "default-jdk-headless", JAVA),
    language("go", "main.go", "go", "golang-go", "exec go run main.go"),
    language(
        "rust",
        "main.rs",
        "rustc",
        "rustc",
        "rustc main.rs -o program && exec ./program",
    ),
    language("ruby", "main.rb", "ruby", "ruby", "exec ruby main.rb"),
    language("php", "main.php", "php", "php-cli", "exec php main.php"),
    language("shell", "main.sh", "bash", "bash", "exec bash main.sh"),
    language(
        "r",
        "main.r",
        "Rscript",
        "r-base-core",
        "exec Rscript main.r",
    ),
];

const fn language(
    name: &'static str,
    file: &'static str,
    command: &'static str,
    package: &'static str,
    script: &'static str,
) -> Language {
    Language {
        name,
        file,
        command,
        package,
        script,
    }
}

/// All supported languages.
pub(super) fn all() -> &'static [Language] {
    LANGUAGES
}

/// Returns the language with the name that a client sent. As in the clients, an unknown name (`css`, `sql`) means
/// JavaScript.
pub(super) fn named(name: &str) -> &'static Language {
    LANGUAGES
        .iter()
        .find(|language| language.name == name)
        .unwrap_or(&LANGUAGES[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_nobody_knows_means_javascript() {
        for name in ["css", "sql", "htmlmixed", "", "Python", "../python"] {
            assert_eq!(named(name).name, "javascript", "{name}");
        }
        assert_eq!(named("clike").command, "g++");
        assert_eq!(named("r").file, "main.r");
    }
}
