/** The languages of a room's text: syntax colouring, file names, and the names on servers that can run them. */

import type { Extension } from "@codemirror/state";
import type { StreamParser } from "@codemirror/language";
import type { About } from "./about.ts";

export interface Language {
  id: string;
  label: string;
  /** Extensions of files in this language. The first one is used for downloads. */
  extensions: readonly [string, ...string[]];
  /** The name on servers that can run it. */
  run?: string;
  load: () => Promise<Extension>;
}

export const LANGUAGES: readonly Language[] = [
  { id: "javascript", label: "JavaScript", extensions: ["js", "mjs", "cjs"], run: "javascript", load: () => script({}) },
  { id: "python", label: "Python", extensions: ["py"], run: "python", load: async () => (await import("@codemirror/lang-python")).python() },
  { id: "clike", label: "C / C++", extensions: ["cpp", "c", "cc", "h", "hpp"], run: "clike", load: async () => (await import("@codemirror/lang-cpp")).cpp() },
  { id: "java", label: "Java", extensions: ["java"], run: "java", load: async () => (await import("@codemirror/lang-java")).java() },
  { id: "go", label: "Go", extensions: ["go"], run: "go", load: async () => (await import("@codemirror/lang-go")).go() },
  { id: "rust", label: "Rust", extensions: ["rs"], run: "rust", load: async () => (await import("@codemirror/lang-rust")).rust() },
  { id: "ruby", label: "Ruby", extensions: ["rb"], run: "ruby", load: () => stream(import("@codemirror/legacy-modes/mode/ruby"), "ruby") },
  { id: "php", label: "PHP", extensions: ["php"], run: "php", load: async () => (await import("@codemirror/lang-php")).php() },
  { id: "shell", label: "Shell", extensions: ["sh", "bash"], run: "shell", load: () => stream(import("@codemirror/legacy-modes/mode/shell"), "shell") },
  { id: "r", label: "R", extensions: ["r"], run: "r", load: () => stream(import("@codemirror/legacy-modes/mode/r"), "r") },
  { id: "typescript", label: "TypeScript", extensions: ["ts"], load: () => script({ typescript: true }) },
  { id: "jsx", label: "JSX / TSX", extensions: ["jsx", "tsx"], load: () => script({ jsx: true, typescript: true }) },
  { id: "html", label: "HTML", extensions: ["html", "htm"], load: async () => (await import("@codemirror/lang-html")).html() },
  { id: "css", label: "CSS", extensions: ["css"], load: async () => (await import("@codemirror/lang-css")).css() },
  { id: "sass", label: "Sass / SCSS", extensions: ["scss", "sass"], load: async () => (await import("@codemirror/lang-sass")).sass() },
  { id: "json", label: "JSON", extensions: ["json"], load: async () => (await import("@codemirror/lang-json")).json() },
  { id: "yaml", label: "YAML", extensions: ["yaml", "yml"], load: async () => (await import("@codemirror/lang-yaml")).yaml() },
  { id: "xml", label: "XML", extensions: ["xml", "svg"], load: async () => (await import("@codemirror/lang-xml")).xml() },
  { id: "sql", label: "SQL", extensions: ["sql"], load: async () => (await import("@codemirror/lang-sql")).sql() },
  { id: "markdown", label: "Markdown", extensions: ["md", "markdown"], load: async () => (await import("@codemirror/lang-markdown")).markdown() },
  { id: "dart", label: "Dart", extensions: ["dart"], load: () => stream(import("@codemirror/legacy-modes/mode/clike"), "dart") },
  { id: "swift", label: "Swift", extensions: ["swift"], load: () => stream(import("@codemirror/legacy-modes/mode/swift"), "swift") },
  { id: "django", label: "Django / Jinja", extensions: ["j2", "jinja"], load: () => stream(import("@codemirror/legacy-modes/mode/jinja2"), "jinja2") },
  { id: "dockerfile", label: "Dockerfile", extensions: ["dockerfile"], load: () => stream(import("@codemirror/legacy-modes/mode/dockerfile"), "dockerFile") },
  { id: "text", label: "Plain text", extensions: ["txt", "log", "csv"], load: async () => [] },
];

/** Returns a language by its id. An id that this page does not know is shown as plain text. */
export function languageOf(id: string): Language {
  return LANGUAGES.find((language) => language.id === id) ?? (LANGUAGES.at(-1) as Language);
}

/** The language name for a run request; undefined if the server cannot run it. A server without languages says why. */
export function runnable({ run }: Language, { languages }: About): string | undefined {
  return run !== undefined && (languages === null || languages.includes(run)) ? run : undefined;
}

/** The language of a file name; undefined if the name does not determine it. */
export function languageOfFile(name: string): Language | undefined {
  const extension = name.toLowerCase().split(".").at(-1) ?? "";
  return LANGUAGES.find((language) => language.extensions.includes(extension));
}

async function script(config: { jsx?: boolean; typescript?: boolean }): Promise<Extension> {
  return (await import("@codemirror/lang-javascript")).javascript(config);
}

async function stream<N extends string>(mode: Promise<Record<N, StreamParser<unknown>>>, name: N): Promise<Extension> {
  const { StreamLanguage } = await import("@codemirror/language");
  return StreamLanguage.define((await mode)[name]);
}
