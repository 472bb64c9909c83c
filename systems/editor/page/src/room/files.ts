/** Loads a file into the room, and saves the room as a file. */

import { h } from "../dom.ts";
import { toast } from "../toast.ts";
import { kilobytes, mostAtOnce } from "./about.ts";
import type { Editor } from "./editor.ts";
import { languageOf, languageOfFile } from "./languages.ts";
import type { Session } from "./session.ts";

/** Replaces the room's text with the file's. */
export async function upload(file: File, session: Session, code: Editor): Promise<void> {
  const bad = (text: string) => toast({ text, kind: "bad" });
  const most = mostAtOnce(session.about.value);
  if (most < file.size) return bad(`${file.name} is too large: ${kilobytes(file.size)}, and ${kilobytes(most)} fit.`);
  if (session.connection.value.phase === "opening") return bad("The room is not open yet.");
  const text = decoded(await file.arrayBuffer());
  if (text === null) return bad(`${file.name} is not text.`);
  const before = session.language.value;
  const language = languageOfFile(file.name)?.id ?? before;
  code.replace(text);
  if (language !== before) session.setLanguage(language);
  const undo = () => {
    code.undo();
    if (language !== before) session.setLanguage(before);
  };
  toast({ text: `${file.name} is now the text of the room.`, kind: "good", action: { label: "Undo", run: undo } });
}

/** The text, or null if the bytes are not text. Line ends become those of the editor. */
function decoded(bytes: ArrayBuffer): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\u0000") ? null : text.replace(/\r\n?/g, "\n");
  } catch {
    return null;
  }
}

/** Saves the text as a file named after the room. */
export function download(session: Session): void {
  const [extension] = languageOf(session.language.value).extensions;
  const url = URL.createObjectURL(new Blob([session.text.toString()], { type: "text/plain" }));
  const name = `${session.room.replace(/[^\p{L}\p{N}._-]+/gu, "-")}.${extension}`;
  h("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  toast({ text: `Saved as ${name}.`, kind: "good" });
}
