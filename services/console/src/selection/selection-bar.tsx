// The bar of the selection: how many tasks there are, and what can be done with all of them.
import { useEffect } from 'react';
import { mayEdit } from '../graph/task.ts';
import { messages } from '../messages/messages.ts';
import { selection as texts } from '../messages/texts/selection.ts';
import { useGraphText } from '../session/workspace.tsx';
import { ACT_KEYS } from './act-keys.ts';
import type { ActName } from './begin-change.ts';
import '../style/selection.css';

interface SelectionBarProps {
  readonly selection: ReadonlySet<string>;
  readonly onAct: (name: ActName) => void;
  readonly onClear: () => void;
}

const ACTS = ['start', 'done', 'reopen', 'effort', 'priority', 'due', 'assign', 'tags', 'move', 'trash'] as const;

export function SelectionBar({ selection, onAct, onClear }: SelectionBarProps) {
  const viewOnly = Number(
    useGraphText((graph) => {
      const tasks = [...selection].map((id) => graph.task(id)).filter((task) => task !== undefined);
      return String(tasks.filter((task) => !mayEdit(task)).length);
    }),
  );
  useEffect(
    () => () => {
      // The bar goes with its last task, and takes the focus of its button with it.
      if (document.activeElement === document.body) document.getElementById('content')?.focus();
    },
    [],
  );
  return (
    <section className="selection-bar" aria-label={texts.label}>
      <p>
        <strong>{messages.selection.count(selection.size)}</strong>
        {viewOnly > 0 && <span className="quiet">{texts.viewOnly(viewOnly)}</span>}
      </p>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields of a form. */}
      <div className="selection-acts" role="group" aria-label={texts.actsOn}>
        {ACTS.map((name) => (
          <button key={name} type="button" aria-keyshortcuts={ACT_KEYS[name] ?? undefined} onClick={() => onAct(name)}>
            {texts.acts[name]}
          </button>
        ))}
      </div>
      <button type="button" className="plain" onClick={onClear}>
        {texts.clear}
      </button>
    </section>
  );
}
