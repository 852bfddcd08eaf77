// The command palette: a dialog that finds commands and tasks by their names.
import { useCallback, useEffect, useRef, useState } from 'react';
import { MOST_SEARCH_CHARACTERS } from '../graph/limits.ts';
import { goTo } from '../history.ts';
import { takeTyped } from '../keys.ts';
import { titleOf } from '../messages/messages.ts';
import { paletteTexts } from '../messages/texts/palette.ts';
import { StatusGlyph } from '../panel/status-glyph.tsx';
import { Combobox } from '../parts/combobox.tsx';
import { pathOf } from '../routes.ts';
import { useTask } from '../session/workspace.tsx';
import { commandText } from './command-text.ts';
import { COMMANDS, type Command, type CommandContext, targetsOf } from './commands.ts';
import { type Entry as EntryOf, entriesFor, keyOf } from './entries.ts';
import { KeyCaps } from './key-caps.tsx';
import '../style/palette.css';

interface PaletteProps {
  readonly context: CommandContext;
  readonly onClose: () => void;
}

type Entry = EntryOf<Command>;

const LISTED_COMMANDS = COMMANDS.filter(({ name }) => name !== 'palette');

export function Palette({ context, onClose }: PaletteProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  // The dialog takes the focus from the task.
  const [hasTask] = useState(() => targetsOf(context).length > 0);
  const { replica, graph } = context;
  const entriesOf = useCallback(
    (written: string): readonly Entry[] =>
      entriesFor({ replica, hasTask, commands: LISTED_COMMANDS, textOf: ({ name }) => commandText(name) }, written),
    [replica, hasTask],
  );
  useEffect(() => {
    dialog.current?.showModal();
    // Until now, no key reached the field.
    setText(takeTyped().slice(0, MOST_SEARCH_CHARACTERS));
  }, []);

  const choose = (entry: Entry) => {
    // The focus returns to where it was, so that a command finds its task.
    dialog.current?.close();
    if (entry.kind === 'command') entry.command.run(context);
    else goTo(pathOf({ view: 'task', id: entry.id }));
  };
  return (
    <dialog ref={dialog} className="palette" aria-label={paletteTexts.title} onClose={onClose}>
      <Combobox
        label={paletteTexts.label}
        hasLabel={false}
        help={(entries) => (entries === 0 ? paletteTexts.none : paletteTexts.help)}
        listLabel={paletteTexts.options}
        text={text}
        mostCharacters={MOST_SEARCH_CHARACTERS}
        optionsFor={entriesOf}
        keyOf={keyOf}
        isThere={(entry) => entry.kind === 'command' || graph.task(entry.id) !== undefined}
        onWrite={setText}
        onChoose={choose}
      >
        {(entry) => <EntryText entry={entry} />}
      </Combobox>
    </dialog>
  );
}

function TaskText({ id }: { readonly id: string }) {
  const task = useTask(id);
  return (
    task !== undefined && (
      <>
        <StatusGlyph status={task.status} />
        <span dir="auto">{titleOf(task)}</span>
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
