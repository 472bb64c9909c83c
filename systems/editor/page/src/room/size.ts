/** Nothing comes into the text that the server would not take: it would close the line. */

import { EditorState, type Extension, type Text, type Transaction } from "@codemirror/state";
import { toast } from "../toast.ts";
import { kilobytes, mostAtOnce, type About } from "./about.ts";

/** A character of UTF-16 has so many bytes of UTF-8, at most. */
const WIDEST = 3;

/** Refuses what a person puts in when it is too large, and says so. What others wrote is never refused. */
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

/** Bytes of a text, or fewer where it surely fits: this is asked for every key. */
function bytes(text: Text, most: number): number {
  return text.length * WIDEST <= most ? text.length : new TextEncoder().encode(text.toString()).length;
}
