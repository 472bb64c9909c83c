// The button that ends the run, with a confirmation.

import { button, element } from "../page/dom.ts";

export class EndButton {
  readonly box: HTMLElement;
  readonly #button: HTMLButtonElement;
  readonly #dialog: HTMLDialogElement;
  readonly #said = element("span", { role: "status" });
  #asked = false;

  constructor() {
    const confirm = button("End the run", () => void this.#end());
    confirm.className = "danger";
    const cancel = button("Continue the run", () => this.#dialog.close());
    this.#dialog = element(
      "dialog",
      { "aria-labelledby": "end-title" },
      element("h2", { id: "end-title" }, "End the run now?"),
      element("p", {}, "headcount waits for requests in flight, and saves everything that was measured, as after Ctrl-C. Levels that have not started are left out."),
      element("div", { class: "buttons" }, cancel, confirm),
    );
    this.#button = button("End the run", () => this.#dialog.showModal());
    this.#button.className = "end";
    this.box = element("span", { class: "ending" }, this.#said, this.#button, this.#dialog);
  }

  /** Shows whether the run can still be ended. */
  draw(stopping: boolean, ended: boolean): void {
    this.#asked ||= stopping;
    this.#button.disabled = this.#asked || ended;
    this.#button.hidden = ended;
    if (ended) {
      this.#say("");
      this.#dialog.close();
    }
  }

  async #end(): Promise<void> {
    this.#dialog.close();
    this.#button.disabled = true;
    this.#asked = true;
    this.#say("Ending …");
    const accepted = await fetch("end", { method: "POST" }).then((response) => response.ok, () => false);
    if (accepted) return;
    this.#asked = false;
    this.#button.disabled = false;
    this.#say("headcount did not respond. Try again, or press Ctrl-C in its terminal.");
  }

  #say(text: string): void {
    if (this.#said.textContent !== text) this.#said.textContent = text;
  }
}
