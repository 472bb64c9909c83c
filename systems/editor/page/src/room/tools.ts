/** The tools of a room: language, theme, files, link, leave. */

import { fill, h, icon } from "../dom.ts";
import * as theme from "../theme.ts";
import type { Editor } from "./editor.ts";
import { download, upload } from "./files.ts";
import { LANGUAGES, languageOf, runnable, type Language } from "./languages.ts";
import type { Session } from "./session.ts";

interface Ways {
  copy: () => void;
  leave: () => void;
}

export function tools(session: Session, code: Editor, { copy, leave }: Ways): HTMLElement {
  return h("section", { class: "side-part tools", "aria-label": "Tools" },
    choice("Language", "for everybody", languages(session)),
    choice("Theme", "for you", themes()),
    h("div", { class: "actions" },
      action("link", "Copy link", copy),
      action("search", "Find", code.find),
      action("upload", "Upload", () => picker(session, code).click()),
      action("download", "Download", () => download(session)),
      action("leave", "Leave", leave)));
}

function choice(label: string, whose: string, select: HTMLSelectElement): HTMLElement {
  return h("label", { class: "choice" }, h("span", { class: "choice-label" }, label, h("span", { class: "whose" }, whose)), select);
}

function languages(session: Session): HTMLSelectElement {
  const options = (some: typeof LANGUAGES) => some.map((one) => h("option", { value: one.id }, one.label));
  const select = h("select", { name: "language", change: () => session.setLanguage(select.value) });
  const show = () => (select.value = languageOf(session.language.value).id);
  session.about.watch((about) => {
    const runs = (one: Language) => runnable(one, about) !== undefined;
    fill(select,
      h("optgroup", { label: "Can be run" }, ...options(LANGUAGES.filter(runs))),
      h("optgroup", { label: "To read and write" }, ...options(LANGUAGES.filter((one) => !runs(one)))));
    show();
  });
  session.language.watch(show);
  return select;
}

function themes(): HTMLSelectElement {
  const select = h("select", { name: "theme", change: () => theme.choose(select.value) },
    ...theme.THEMES.map((one) => h("option", { value: one.id }, one.label)));
  select.value = theme.chosen();
  return select;
}

function action(symbol: Parameters<typeof icon>[0], label: string, click: () => void): HTMLElement {
  return h("button", { type: "button", class: "button action", click }, icon(symbol), h("span", {}, label));
}

/** Creates a new file input for each use. Otherwise choosing the same file twice in a row would have no effect. */
function picker(session: Session, code: Editor): HTMLInputElement {
  const input = h("input", { type: "file", class: "picker", change: () => {
    const file = input.files?.[0];
    input.remove();
    if (file !== undefined) void upload(file, session, code);
  } });
  input.addEventListener("cancel", () => input.remove());
  document.body.append(input);
  return input;
}
