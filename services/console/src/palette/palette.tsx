// The command palette: a dialog that finds commands and tasks by their names. A combobox (ARIA
// pattern): the focus stays in the field.
import { type KeyboardEvent, useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react';
import { goTo } from '../history.ts';
import { paletteTexts } from '../messages/en/palette.ts';
import { titleOf } from '../messages/messages.ts';
import { StatusGlyph } from '../panel/status-glyph.tsx';
import { pathOf } from '../routes.ts';
import { useGraphText, useTask } from '../session/workspace.tsx';
import { commandText } from './command-text.ts';
import { COMMANDS, type Command, type CommandContext } from './commands.ts';
import { type Entry as EntryOf, entriesFor, keyOf } from './entries.ts';
import { KeyCaps } from './key-caps.tsx';
import '../style/palette.css';

interface PaletteProps {
  readonly context: CommandContext;
  readonly onClose: () => void;
}

type Entry = EntryOf<Command>;

const LISTED = COMMANDS.filter(({ name }) => name !== 'palette');

/** The bound of a search (FIND4). */
const MOST_SEARCHED = 200;

export function Palette({ context, onClose }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [text, setText] = useState('');
  /** The key of an entry. */
  const [active, setActive] = useState<string | null>(null);
  const listed = useDeferredValue(text);
  const entries = useEntries(context, listed);
  const place = Math.max(
    0,
    entries.findIndex((entry) => keyOf(entry) === active),
  );
  useEffect(() => dialog.current?.showModal(), []);

  const choose = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    dialog.current?.close();
    if (entry.kind === 'command') entry.command.run(context);
    else goTo(pathOf({ view: 'task', id: entry.id }));
  };
  const walk = (step: number) => {
    const entry = entries[(place + step + entries.length) % entries.length];
    if (entry !== undefined) setActive(keyOf(entry));
  };
  const press = (event: KeyboardEvent) => {
    const acts: Readonly<Record<string, () => void>> = {
      ArrowDown: () => walk(1),
      ArrowUp: () => walk(-1),
      // The list may still be that of an earlier text.
      Enter: () => choose(listed === text ? entries[place] : listFor(context, text)[0]),
    };
    const act = acts[event.key];
    // An input method uses these keys for its own candidates.
    if (act === undefined || event.nativeEvent.isComposing) return;
    event.preventDefault();
    act();
  };

  return (
    <dialog ref={dialog} className="palette" aria-label={paletteTexts.title} onClose={onClose}>
      <input
        autoFocus
        type="text"
        role="combobox"
        autoComplete="off"
        aria-label={paletteTexts.label}
        aria-expanded={entries.length > 0}
        aria-controls={`${id}list`}
        aria-autocomplete="list"
        aria-activedescendant={entries.length === 0 ? undefined : `${id}${place}`}
        aria-describedby={`${id}help`}
        maxLength={MOST_SEARCHED}
        placeholder={paletteTexts.label}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setActive(null);
        }}
        onKeyDown={press}
      />
      <p className="quiet" id={`${id}help`} role="status">
        {entries.length === 0 ? paletteTexts.none : paletteTexts.help}
      </p>
      <div role="listbox" id={`${id}list`} aria-label={paletteTexts.options} className="options">
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the focus stays in the field of the combobox.
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys belong to the field of the combobox.
          <div
            key={keyOf(entry)}
            role="option"
            id={`${id}${index}`}
            className="option"
            aria-selected={index === place}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(entry)}
          >
            <EntryText entry={entry} />
          </div>
        ))}
      </div>
    </dialog>
  );
}

/** The entries for a text. A task that leaves the graph leaves them too. */
function useEntries(context: CommandContext, text: string): readonly Entry[] {
  const found = useMemo(() => listFor(context, text), [context, text]);
  const { graph } = context;
  const isThere = (entry: Entry) => entry.kind === 'command' || graph.task(entry.id) !== undefined;
  useGraphText(() => found.map((entry) => Number(isThere(entry))).join(''));
  return found.filter(isThere);
}

function listFor({ replica, chosen }: CommandContext, text: string): Entry[] {
  return entriesFor({ replica, chosen, commands: LISTED, textOf: ({ name }) => commandText(name) }, text);
}

function TaskText({ id }: { readonly id: string }) {
  const task = useTask(id);
  return (
    task !== undefined && (
      <>
        <StatusGlyph status={task.status} />
        <span>{titleOf(task)}</span>
      </>
    )
  );
}

function EntryText({ entry }: { readonly entry: Entry }) {
  if (entry.kind === 'task') return <TaskText id={entry.id} />;
  const { command } = entry;
  return (
    <>
      <span>{commandText(command.name)}</span>
      {command.key !== undefined && <KeyCaps name={command.key} />}
    </>
  );
}
