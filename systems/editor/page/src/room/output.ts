/** The output of the last run, which is the same for everybody in the room. */

import { fill, h, icon } from "../dom.ts";
import { splitter } from "./splitter.ts";
import type { Output } from "./room-socket.ts";
import type { Run, Session } from "./session.ts";

export function outputPanel(session: Session, again: () => void): { dom: HTMLElement } {
  const title = h("span", { class: "output-title" });
  const body = h("div", { class: "output-body", tabindex: 0, role: "log", "aria-label": "Output" });
  const dom = h("section", { class: "output", "aria-label": "Output of the last run", hidden: true });
  const close = h("button", { type: "button", class: "quiet", title: "Close", "aria-label": "Close the output", click: () => (dom.hidden = true) }, icon("close"));
  dom.append(splitter(dom), h("div", { class: "output-head" }, h("h2", {}, "Output"), title, close), body);
  session.run.watch((run) => {
    dom.dataset["kind"] = run.kind === "done" ? (run.output.success ? "good" : "bad") : run.kind;
    fill(title, ...heading(run));
    if (run.kind === "idle") {
      dom.hidden = true;
      return;
    }
    dom.hidden = false;
    // The last output stays visible, but dimmed, until the next output arrives.
    if (run.kind === "done") fill(body, ...result(run.output));
    if (run.kind === "refused") fill(body, ...refusal(run.message, again));
    body.scrollTop = 0;
  });
  return { dom };
}

function heading(run: Run): (HTMLElement | string)[] {
  switch (run.kind) {
    case "idle":
      return [];
    case "running":
      return [h("span", { class: "spinner", "aria-hidden": "true" }), run.by === "" ? "Running…" : `${run.by} is running it…`];
    case "refused":
      return [h("span", { class: "badge" }, "Not run")];
    case "done":
      return [h("span", { class: "badge" }, run.output.success ? "Succeeded" : "Failed"), h("span", { class: "output-when" }, when(run))];
  }
}

function when({ output, by }: { output: Output; by: string }): string {
  const date = new Date(output.timestamp);
  const time = Number.isNaN(date.getTime()) ? "" : `at ${date.toLocaleTimeString()}`;
  return [by === "" ? "" : `run by ${by}`, time].filter(Boolean).join(" ");
}

function result({ success, output, error }: Output): HTMLElement[] {
  const part = (name: string, text: string, kind: string) =>
    h("div", { class: `output-part ${kind}` }, name !== "" && h("h3", {}, name), h("pre", {}, text));
  const parts: HTMLElement[] = [];
  if (!success) parts.push(part("Error", error || "It failed without a word.", "is-error"));
  if (output !== "") parts.push(part(success ? "" : "Output until then", output, "is-output"));
  if (success && error !== "") parts.push(part("Warnings", error, "is-warning"));
  if (parts.length === 0) parts.push(h("p", { class: "output-empty" }, "It ran, and printed nothing."));
  return parts;
}

function refusal(message: string, again: () => void): HTMLElement[] {
  const sentence = message.charAt(0).toUpperCase() + message.slice(1).replace(/\.?$/, ".");
  return [
    h("p", { class: "output-refused" }, sentence),
    h("button", { type: "button", class: "button", click: again }, "Try again"),
  ];
}
