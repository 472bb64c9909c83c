/** Keeps text that the server would refuse out of the document, because the server would close the connection. */

import { EditorState, type Extension, type Text, type Transaction } from "@codemirror/state";
import { toast } from "../toast.ts";
import { kilobytes, mostAtOnce, type About } from "./about.ts";

/** Maximum UTF-8 bytes per UTF-16 unit. */
const WIDEST = 3;

/** Refuses user input that is too large, and says so. Edits of others are never refused. */
export function bounded(about: () => About): Extension {
  return EditorState.transactionFilter.of((change) => {
    const complaint = change.docChanged && change.isUserEvent("input") ? tooLarge(change, about()) : null;
    if (complaint === null) return change;
    toast({ text: complaint, kind: "bad" });
    return [];
  });
}

function tooLarge(change: Transaction, about: About): string | null {
  let inserted = 0;
  change.changes.iterChanges((_from, _to, _begin, _end, text) => (inserted += bytes(text, mostAtOnce(about))));
  if (mostAtOnce(about) < inserted) return `That is too large: ${kilobytes(inserted)}, and ${kilobytes(mostAtOnce(about))} fit at once.`;
  const whole = bytes(change.newDoc, about.maxDocument);
  const grows = change.startState.doc.length < change.newDoc.length;
  return grows && about.maxDocument < whole ? `The room is full of text: ${kilobytes(about.maxDocument)} fit.` : null;
}

/** Size in bytes, or an underestimate if the text certainly fits. This runs for every key. */
function bytes(text: Text, most: number): number {
  return text.length * WIDEST <= most ? text.length : new TextEncoder().encode(text.toString()).length;
}
