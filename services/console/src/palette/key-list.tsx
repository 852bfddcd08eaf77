// The list of all keys, and the switch for single letters.
import { useEffect, useId, useRef } from 'react';
import { alongLine } from '../arrow-keys.ts';
import { paletteTexts } from '../messages/texts/palette.ts';
import { choosePreference, usePreference } from '../session/preferences.ts';
import { commandText } from './command-text.ts';
import { COMMANDS } from './commands.ts';
import { KeyCaps } from './key-caps.tsx';
import '../style/palette.css';

const { commands, sections } = paletteTexts;
type Row = readonly [key: string, text: string];

const PAGE_ROWS: readonly Row[] = COMMANDS.flatMap(({ name, key, needsTask }) =>
  key === undefined || needsTask ? [] : [[key, commandText(name)] as const],
);
const TASK_ROWS: readonly Row[] = COMMANDS.flatMap(({ name, key, needsTask }) =>
  key === undefined || !needsTask ? [] : [[key, commandText(name)] as const],
);

/** The views handle the other keys themselves. */
const SECTIONS: readonly (readonly [title: string, rows: readonly Row[]])[] = [
  [sections.page, PAGE_ROWS],
  [
    sections.task,
    [
      ...TASK_ROWS,
      ['Shift ↑ ↓', commands.extend],
      [paletteTexts.clickWith, commands.toggle],
      ['Escape', commands.close],
    ],
  ],
  [
    sections.graph,
    [
      ['← → ↑ ↓', commands.walk],
      ['Enter', commands.open],
      ['L', commands.link],
      ['Alt Shift ← → ↑ ↓', commands.pin],
      ['+ − 0', commands.zoom],
    ],
  ],
  [
    sections.outline,
    [
      ['↑ ↓', commands.walk],
      [alongLine('→ ←'), commands.expand],
      ['Enter', commands.open],
      ['F2', commands.edit],
      ['E', commands.edit],
      ['C', commands.beside],
      ['Shift+C', commands.below],
      [alongLine('Alt → ←'), commands.indent],
      ['Home End', commands.ends],
    ],
  ],
  [
    sections.board,
    [
      ['← → ↑ ↓', commands.walk],
      ['Enter', commands.open],
      ['Tab', commands.menu],
    ],
  ],
  [
    sections.plan,
    [
      ['↑ ↓', commands.walk],
      [alongLine('+ − Shift → ←'), commands.ask],
      ['Escape', commands.discard],
    ],
  ],
];

function isSentence(keys: string): boolean {
  return /[←→↑↓−]|End/.test(keys) || keys === paletteTexts.clickWith;
}

export function KeyList({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const letters = usePreference('letters');
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} className="key-list" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{paletteTexts.keysTitle}</h2>
      <label className="check">
        <input
          type="checkbox"
          checked={letters !== 'off'}
          onChange={({ target }) => choosePreference('letters', target.checked ? 'system' : 'off')}
        />{' '}
        {paletteTexts.letters}
      </label>
      <p className="quiet">{paletteTexts.lettersHelp}</p>
      {SECTIONS.map(([title, rows]) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl>
            {rows.map(([key, text]) => (
              <div key={key}>
                <dt>{isSentence(key) ? <kbd>{key}</kbd> : <KeyCaps name={key} />}</dt>
                <dd>{text}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      <button type="button" onClick={() => dialog.current?.close()}>
        {paletteTexts.close}
      </button>
    </dialog>
  );
}
