use model::Fault;
use script::Bundle;
use url::Url;
use wire::Endpoint;

use crate::{Target, bytes_of, text_of};

/// Compiles the user's TypeScript to JavaScript: removes types and finds imports. Lines and columns must not change.
pub(crate) const TYPESCRIPT: Target = Target {
    name: "typescript",
    run: typescript,
    seeds: || {
        bytes_of(&[
            include_str!("../../scenarios/starter.ts"),
            include_str!("../../scenarios/exchange.ts"),
            "import type { Group } from \"headcount\";\nexport default async function (g: Group) { const x = <any>g as unknown \
                satisfies object; }\n",
            "enum E { A }\nexport default class<T> { private x?: number = 1n as any; }\n",
            "let r = /[/\\]]/u, t = `${`a${1}`}`; export { r }; import(\"./x.ts\");\n",
        ])
    },
    words: &[
        "import ",
        " from \"./a.ts\"",
        "export ",
        "default ",
        "type ",
        "interface X {",
        "enum ",
        "<T>",
        " as ",
        "satisfies ",
        "`",
        "${",
        "}",
        "(",
        ")",
        "=>",
        "async ",
        "await ",
        "/*",
        "*/",
        "//",
        "\"",
        "'",
        "\\u{",
        "\u{2028}",
        "é",
        "@",
        "#",
        "?.",
        "!",
        "namespace ",
        "declare ",
    ],
    memory: 64 << 20,
};

fn typescript(data: &[u8]) {
    let source = text_of(data);
    match Bundle::embedded("go.ts", &source) {
        Ok(bundle) => {
            assert_eq!(
                (bundle.name(), bundle.main_source()),
                ("go.ts", source.as_str())
            );
            assert_eq!(bundle.sha256().len(), 64);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

/// Resolves the URLs of a script relative to the target.
pub(crate) const URLS: Target = Target {
    name: "urls",
    run: urls,
    seeds: || {
        bytes_of(&[
            "/a?b=c",
            "http://[::1]:80/",
            "ws://user:pw@h/x",
            "wss://x.test",
            "//y",
            "http://1.2.3.4:99999",
            "data:x",
        ])
    },
    words: &[
        "http:", "ws:", "//", "[", "]", ":", "@", "%2f", "?", "#", "..", "\\", "\t", "xn--",
        "0x7f.1", "é",
    ],
    memory: 1 << 20,
};

fn urls(data: &[u8]) {
    let Ok(base) = Url::parse("http://127.0.0.1:5000/base/") else {
        return;
    };
    let Ok(url) = base.join(&text_of(data)) else {
        return;
    };
    match Endpoint::try_from(&url) {
        Ok(endpoint) => {
            assert!(
                !endpoint.host.is_empty() && !endpoint.host.contains(['[', ']', '/', '@']),
                "{endpoint:?}"
            );
            assert_eq!(endpoint.tls, matches!(url.scheme(), "https" | "wss"));
        }
        Err(Fault { detail, .. }) => assert!(!detail.is_empty()),
    }
}
