import { element } from "./dom.ts";

/** Final text, with the words of the current utterance below it. */
export class Transcript {
  #log = element("transcript");
  #partial = element("partial");
  #words = "";

  partial(words: string): void {
    if (words === "") return;
    this.#words = this.#words === "" ? words : `${this.#words} ${words}`;
    this.#show();
  }

  final(text: string, startMs: number): void {
    this.#words = "";
    if (text !== "") this.#log.append(utterance(text, startMs));
    this.#show();
    this.#log.lastElementChild?.scrollIntoView({ block: "nearest" });
  }

  clear(): void {
    this.#words = "";
    this.#log.replaceChildren();
    this.#show();
  }

  /** All text, a line for each utterance. */
  get text(): string {
    const lines = [...this.#log.querySelectorAll(".words")].map((words) => words.textContent);
    return [...lines, this.#words].filter((line) => line !== "").join("\n");
  }

  #show(): void {
    this.#partial.textContent = this.#words;
    const empty = this.text === "";
    element("empty").hidden = !empty;
    for (const name of ["copy", "clear"]) element<HTMLButtonElement>(name).disabled = empty;
  }
}

function utterance(text: string, startMs: number): HTMLElement {
  const line = document.createElement("p");
  const time = document.createElement("time");
  const words = document.createElement("span");
  time.textContent = clock(startMs);
  words.className = "words";
  words.textContent = text;
  line.append(time, " ", words);
  return line;
}

/** A position in the audio: "1:05". */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
