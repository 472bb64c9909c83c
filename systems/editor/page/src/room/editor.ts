/** The text editor: CodeMirror, bound to the shared text. */

import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension } from "@codemirror/state";
import * as view from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { yCollab, yUndoManagerKeymap } from "y-codemirror.next";
import * as Y from "yjs";
import * as theme from "../theme.ts";
import { languageOf } from "./languages.ts";
import { positionOf, remoteCarets } from "./remote-carets.ts";
import type { Session } from "./session.ts";
import { bounded } from "./size.ts";

const { EditorView, keymap } = view;

export interface Place {
  line: number;
  column: number;
  /** Number of selected characters. */
  selected: number;
}

export interface Editor {
  dom: HTMLElement;
  focus: () => void;
  /** Opens the search. */
  find: () => void;
  /** Replaces the whole text. One undo step restores the old one. */
  replace: (text: string) => void;
  undo: () => void;
  /** Scrolls to another person's caret. */
  reveal: (client: number) => void;
  destroy: () => void;
}

export function editor(session: Session, { moved, run }: { moved: (place: Place) => void; run: () => void }): Editor {
  const undoManager = new Y.UndoManager(session.text);
  const language = new Compartment();
  const look = new Compartment();
  const open = new Compartment();
  const narrow = matchMedia("(max-width: 700px)");
  const width = new Compartment();
  const fitting = () => (narrow.matches ? EditorView.lineWrapping : foldGutter());

  const code = new EditorView({
    state: EditorState.create({
      doc: session.text.toString(),
      extensions: [
        keymap.of([{ key: "Mod-Enter", run: () => (run(), true) }]),
        basics(),
        yCollab(session.text, null, { undoManager }),
        remoteCarets(session.text, session.provider.awareness),
        language.of([]),
        look.of(darkness()),
        open.of(EditorState.readOnly.of(true)),
        bounded(() => session.about.value),
        width.of(fitting()),
        EditorView.contentAttributes.of({ "aria-label": "Shared code. Escape, then Tab, leaves the editor." }),
        EditorView.updateListener.of((update) => {
          if (update.selectionSet || update.docChanged) moved(placeOf(update.state));
          if (update.transactions.some((one) => one.isUserEvent("input") || one.isUserEvent("delete"))) session.typed();
        }),
      ],
    }),
  });

  const refit = () => code.dispatch({ effects: width.reconfigure(fitting()) });
  narrow.addEventListener("change", refit);
  const ends = [
    () => narrow.removeEventListener("change", refit),
    theme.onChange(() => code.dispatch({ effects: look.reconfigure(darkness()) })),
    session.language.watch((id) => void paint(code, language, id, () => session.language.value === id)),
    session.connection.watch(({ phase }) => {
      // Typing is disabled until the text has arrived, and again after the room is closed.
      if (phase === "online") code.dispatch({ effects: open.reconfigure([]) });
      if (phase === "closed") code.dispatch({ effects: open.reconfigure(EditorState.readOnly.of(true)) });
    }),
  ];
  return {
    dom: code.dom,
    focus: () => code.focus(),
    find: () => void openSearchPanel(code),
    replace(text) {
      undoManager.stopCapturing();
      code.dispatch({ changes: { from: 0, to: code.state.doc.length, insert: text }, userEvent: "input.paste" });
      undoManager.stopCapturing();
    },
    undo: () => void undoManager.undo(),
    reveal(client) {
      const position = positionOf(client, session.text, session.provider.awareness);
      if (position !== null) code.dispatch({ effects: EditorView.scrollIntoView(position.head, { y: "center" }) });
    },
    destroy() {
      for (const end of ends) end();
      code.destroy();
    },
  };
}

function basics(): Extension {
  return [
    view.lineNumbers(),
    view.highlightActiveLine(),
    view.highlightActiveLineGutter(),
    view.highlightSpecialChars(),
    view.drawSelection(),
    view.dropCursor(),
    view.rectangularSelection(),
    view.crosshairCursor(),
    view.placeholder("Type here. Everybody with the link sees it as you do."),
    EditorState.allowMultipleSelections.of(true),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    autocompletion(),
    search({ top: true }),
    highlightSelectionMatches(),
    syntaxHighlighting(classHighlighter),
    keymap.of([
      ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...yUndoManagerKeymap, ...foldKeymap, ...completionKeymap, indentWithTab,
    ]),
  ];
}

/** The set of CodeMirror's own colours, light or dark, on which its panels are based. */
const darkness = () => EditorView.theme({}, { dark: theme.isDark() });

async function paint(code: view.EditorView, compartment: Compartment, id: string, still: () => boolean): Promise<void> {
  const support = await languageOf(id).load();
  if (still()) code.dispatch({ effects: compartment.reconfigure(support) });
}

function placeOf(state: EditorState): Place {
  const { head, from, to } = state.selection.main;
  const line = state.doc.lineAt(head);
  return { line: line.number, column: head - line.from + 1, selected: to - from };
}
