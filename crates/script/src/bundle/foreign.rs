//! Modules of Node and well-known packages, which scenarios cannot import, with the alternatives.

const FILES: &str = "read files with csv(path) or json(path) from \"headcount\", or with \
    `import data from \"./data.json\"`";
const CRYPTO: &str = "use hash, hmac from \"headcount\", and the globals crypto.randomUUID() and \
    crypto.getRandomValues(array)";
const HTTP: &str = "use user.get(url), user.post(url, { json }) and so on";
const WEBSOCKET: &str = "use user.websocket(url)";
const TIMERS: &str = "use user.think(time) or user.every(period, fn)";
const K6: &str = "headcount does not run k6 scenarios; import from \"headcount\", and run \
    `headcount init` for a starter";

/// Returns what to use instead of a module, if that is known.
pub(super) fn instead_of(specifier: &str) -> Option<&'static str> {
    let name = specifier.strip_prefix("node:").unwrap_or(specifier);
    Some(match name {
        "fs" | "fs/promises" | "path" | "fs-extra" | "csv-parse" | "papaparse" => FILES,
        "crypto" | "crypto-js" | "uuid" | "nanoid" => CRYPTO,
        "http" | "https" | "http2" | "net" | "tls" | "undici" | "axios" | "got" | "node-fetch" => {
            HTTP
        }
        "ws" | "websocket" => WEBSOCKET,
        "socket.io-client" => "use user.socketio(url, options)",
        "timers" | "timers/promises" => TIMERS,
        "process" | "os" | "dotenv" => {
            "use env(name) from \"headcount\", and pass the variables with --env"
        }
        "buffer" => "use Uint8Array, with TextEncoder, TextDecoder, atob and btoa",
        "url" | "querystring" => "use the globals URL and URLSearchParams",
        "assert" | "assert/strict" => "use user.check(name, ok), or throw an error",
        "perf_hooks" => "use user.step(name, fn), or the global performance.now()",
        "util" => "use the globals structuredClone, TextEncoder and TextDecoder",
        "events" | "stream" => "use functions, and socket.on(event, fn)",
        "worker_threads" | "cluster" | "child_process" => {
            "headcount runs the workers: see --workers"
        }
        _ if name == "k6" || name.starts_with("k6/") => K6,
        _ if specifier.starts_with("node:") => "scenarios cannot use Node's modules",
        _ if specifier.starts_with("https:") || specifier.starts_with("http:") => {
            "save the module in the scenario's folder, and import it with a path that begins with ./"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::instead_of;

    #[test]
    fn modules_of_node_have_an_alternative_with_and_without_prefix() {
        for (module, alternative) in [
            ("fs", "csv(path)"),
            ("crypto", "hmac"),
            ("https", "user.get"),
            ("timers/promises", "user.think"),
            ("process", "--env"),
            ("perf_hooks", "performance.now()"),
        ] {
            let prefixed = format!("node:{module}");
            for specifier in [module, &prefixed] {
                let advice = instead_of(specifier).unwrap_or_default();
                assert!(advice.contains(alternative), "{specifier}: {advice}");
            }
        }
        assert!(instead_of("k6/http").is_some() && instead_of("node:vm").is_some());
        assert_eq!(instead_of("lodash"), None);
        assert_eq!(instead_of("headcount/native"), None);
    }
}
