/** Short notes that disappear by themselves. At most three are shown, without duplicates. */

const STAY = 4_000;
const MOST = 3;

export interface Toast {
  text: string;
  kind?: "plain" | "good" | "bad";
  /** An action such as "Undo". A note with an action stays longer. */
  action?: { label: string; run: () => void };
}

/** Shows a note. */
export function toast({ text, kind = "plain", action }: Toast): void {
  const stack = document.getElementById("toasts");
  if (stack === null) return;
  for (const same of [...stack.children].filter((one) => one.firstChild?.textContent === text)) same.remove();
  while (MOST <= stack.children.length) stack.firstElementChild?.remove();
  const note = document.createElement("div");
  note.className = `toast toast-${kind}`;
  const words = document.createElement("span");
  words.textContent = text;
  note.append(words);
  if (action !== undefined) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = action.label;
    button.addEventListener("click", () => {
      note.remove();
      action.run();
    });
    note.append(button);
  }
  stack.append(note);
  leaveLater(note, action === undefined ? STAY : 2 * STAY);
}

/** Removes a note after a time. The timer stops while the pointer is on the note. */
function leaveLater(note: HTMLElement, after: number): void {
  let timer = setTimeout(() => note.remove(), after);
  note.addEventListener("pointerenter", () => clearTimeout(timer));
  note.addEventListener("pointerleave", () => {
    clearTimeout(timer);
    timer = setTimeout(() => note.remove(), STAY);
  });
}
