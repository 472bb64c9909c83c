/** The status bar: connection, caret position, and who is typing. */

import { fill, h } from "../dom.ts";
import { newRoom, pathOf } from "../route.ts";
import type { Connection } from "./connection.ts";
import type { Place } from "./editor.ts";
import { download } from "./files.ts";
import { languageOf } from "./languages.ts";
import { listed } from "./people.ts";
import type { Session } from "./session.ts";

function words({ phase, unsent }: Connection): string {
  switch (phase) {
    case "opening":
      return "Connecting…";
    case "online":
      return "Connected";
    case "closed":
      return "Closed";
    case "reconnecting":
      return navigator.onLine ? (unsent ? "Reconnecting, not all sent" : "Reconnecting…") : unsent ? "Offline, not all sent" : "Offline";
  }
}

export function connectionPill(session: Session): HTMLElement {
  const text = h("span", { class: "pill-text" });
  const dom = h("div", { class: "pill", role: "status" }, h("span", { class: "dot", "aria-hidden": "true" }), text);
  session.connection.watch((connection) => {
    dom.dataset["phase"] = connection.phase;
    fill(text, words(connection));
    dom.title = words(connection);
  });
  return dom;
}

/** A line above the text while there is a problem. It replaces the page if the problem is permanent. */
export function notice(session: Session, home: () => void): HTMLElement {
  const dom = h("div", { class: "notice", role: "alert" });
  session.connection.watch((connection) => {
    dom.dataset["phase"] = connection.phase;
    fill(dom, ...(connection.phase === "closed" ? refusal(session, home) : [advice(connection)]));
  });
  return dom;
}

function advice({ phase, unsent, opened }: Connection): string {
  if (phase !== "reconnecting") return "";
  if (!opened) return "The server cannot be reached. The room opens as soon as it can.";
  return unsent
    ? "Connection lost. What you typed is kept in this page, and is sent when the connection is back: leave it open."
    : "Connection lost. Keep typing: it is kept in this page, and sent when the connection is back.";
}

function refusal(session: Session, home: () => void): HTMLElement[] {
  const { reason, unsent } = session.connection.value;
  const full = /full/i.test(reason);
  return [
    h("div", { class: "refusal" },
      h("h2", {}, full ? "This room is full" : unsent ? "Not everything was taken" : "This room is closed to you"),
      h("p", {}, full ? "As many people are in it as it holds. Try again when somebody has left, or start another." : reason),
      h("div", { class: "refusal-ways" },
        unsent && h("button", { type: "button", class: "button primary", click: () => download(session) }, "Save the text"),
        h("button", { type: "button", class: unsent ? "button" : "button primary", click: () => location.reload() }, "Try again"),
        h("a", { class: "button", href: pathOf(newRoom()) }, "Start another room"),
        h("button", { type: "button", class: "button", click: home }, "Start page"))),
  ];
}

export function statusBar(session: Session) {
  const typing = h("span", { class: "status-typing", "aria-live": "off" });
  const place = h("span", { class: "status-place" }, "Line 1, column 1");
  const language = h("span", { class: "status-language" });
  session.people.watch((people) => {
    const names = people.filter((person) => person.typing && !person.me).map((person) => person.name);
    fill(typing, names.length === 0 ? "" : `${listed(names)} ${names.length === 1 ? "is" : "are"} typing…`);
  });
  session.language.watch((id) => fill(language, languageOf(id).label));
  const dom = h("footer", { class: "status" }, typing, place, language);
  const moved = ({ line, column, selected }: Place) =>
    fill(place, `Line ${line}, column ${column}`, selected !== 0 && ` (${selected} selected)`);
  return { dom, moved };
}
