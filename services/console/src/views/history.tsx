// The history: who changed what and when, newest first, with undo and redo of each change.
import type { HistoryBatch } from '@taskgraph/client';
import { memo, useId, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { type EntityNames, namesIn, sentencesOf } from '../changes/batch-text.ts';
import type { Scope } from '../changes/history-list.ts';
import { useHistory } from '../changes/history-pages.ts';
import { linkOf, taskOf } from '../graph/task.ts';
import { messages, refusalText } from '../messages/messages.ts';
import { changes as texts } from '../messages/texts/changes.ts';
import { MixedText } from '../parts/mixed-text.tsx';
import { redoBatch, undoBatch } from '../session/undo.ts';
import { useWorkspace } from '../session/workspace.tsx';
import '../style/history.css';

export function HistoryView() {
  const { replica } = useWorkspace();
  const [scope, setScope] = useState<Scope>('everyone');
  const history = useHistory(replica, scope);
  const heading = useRef<HTMLHeadingElement>(null);
  const { batches, next, state, newer, mayHaveMissed, drops } = history;
  const names = useNames(batches);
  const byId = useMemo(() => new Map(batches.map((batch) => [batch.batchId, batch])), [batches]);
  const isLoading = state === 'loading';
  // The row with the focus has gone.
  useLayoutEffect(() => {
    if (drops > 0 && document.activeElement === document.body) heading.current?.focus();
  }, [drops]);
  return (
    <div className="view">
      <h1 ref={heading} tabIndex={-1}>
        {messages.history.title}
      </h1>
      <p className="quiet">{texts.lead}</p>
      <ScopeChoice scope={scope} onChange={setScope} />
      <div role="status">
        {(newer.size > 0 || mayHaveMissed) && (
          <button
            type="button"
            onClick={() => {
              heading.current?.focus();
              void history.reload();
            }}
          >
            {newer.size > 0 ? texts.newer(newer.size) : texts.perhapsNewer}
          </button>
        )}
        {isLoading && batches.length === 0 && <p className="hint">{texts.loading}</p>}
        {state === 'loaded' && batches.length === 0 && next === null && <p className="hint">{texts.empty}</p>}
      </div>
      {batches.length > 0 && (
        <ol className="history" aria-label={texts.listLabel} aria-busy={isLoading}>
          {batches.map((batch) => (
            <BatchRow key={batch.batchId} batch={batch} names={names} byId={byId} />
          ))}
        </ol>
      )}
      {typeof state === 'object' && (
        <p role="alert" className="refusal">
          <MixedText text={texts.failed(refusalText(state.failure))} />{' '}
          <button type="button" onClick={() => void history.reload()}>
            {texts.again}
          </button>
        </p>
      )}
      {next !== null && (
        <button type="button" aria-disabled={isLoading} onClick={() => isLoading || void history.more()}>
          {texts.more}
        </button>
      )}
    </div>
  );
}

function ScopeChoice({ scope, onChange }: { readonly scope: Scope; readonly onChange: (scope: Scope) => void }) {
  const id = useId();
  return (
    <p className="scope">
      <label htmlFor={id}>{texts.whose}</label>
      <select id={id} value={scope} onChange={({ target }) => onChange(target.value as Scope)}>
        <option value="everyone">{texts.everyone}</option>
        <option value="mine">{texts.mine}</option>
      </select>
    </p>
  );
}

function useNames(batches: readonly HistoryBatch[]): EntityNames {
  const { replica } = useWorkspace();
  return useMemo(
    () =>
      namesIn(batches, {
        title(id) {
          const node = replica.snapshot().nodes.get(id);
          return node === undefined ? undefined : taskOf(node).title;
        },
        ends(id) {
          const link = replica.snapshot().links.get(id);
          return link === undefined ? undefined : linkOf(link);
        },
      }),
    [replica, batches],
  );
}

/** Sentences of a batch that are shown at once, and in all. */
const FIRST_SENTENCES = 3;
const MOST_SENTENCES = 100;

interface BatchRowProps {
  readonly batch: HistoryBatch;
  readonly names: EntityNames;
  readonly byId: ReadonlyMap<string, HistoryBatch>;
}

/** A push changes no row, so the sentences of a row are made once. */
const BatchRow = memo(function BatchRow({ batch, names, byId }: BatchRowProps) {
  const { batchId, actor, ts, undone, undoOf, redoOf, truncated } = batch;
  const reverted = undoOf ?? redoOf;
  const original = reverted === undefined ? undefined : byId.get(reverted);
  const sentences = sentencesOf(original ?? batch, names);
  const [first = texts.other] = sentences;
  const rest = sentences.slice(FIRST_SENTENCES, MOST_SENTENCES);
  const shown = sentences.slice(0, FIRST_SENTENCES).join(' ');
  return (
    <li className="batch" data-undone={undone}>
      <p className="quiet">
        <time dateTime={ts}>{messages.moment(ts)}</time> ·{' '}
        <bdi>{actor.email === '' ? texts.system : actor.username}</bdi>
        {undone && reverted === undefined && <strong className="undone"> · {texts.isUndone}</strong>}
      </p>
      <p className="batch-words">
        {original === undefined ? shown : undoOf === undefined ? texts.redoOf(shown) : texts.undoOf(shown)}
      </p>
      {rest.length > 0 && (
        <details>
          <summary>{texts.andMore(sentences.length - FIRST_SENTENCES)}</summary>
          <ul>
            {rest.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
            {sentences.length > MOST_SENTENCES && <li>{texts.andMore(sentences.length - MOST_SENTENCES)}</li>}
          </ul>
        </details>
      )}
      {truncated && <p className="quiet">{texts.cut}</p>}
      {/* The change itself has the button, not what undid it. */}
      {reverted === undefined && <RevertButton batchId={batchId} undone={undone} change={first} />}
    </li>
  );
});

interface RevertButtonProps {
  readonly batchId: string;
  readonly undone: boolean;
  readonly change: string;
}

function RevertButton({ batchId, undone, change }: RevertButtonProps) {
  const { replica } = useWorkspace();
  return (
    <button
      type="button"
      aria-label={undone ? texts.redoThis(change) : texts.undoThis(change)}
      onClick={() => void (undone ? redoBatch : undoBatch)(replica, batchId)}
    >
      {undone ? messages.undo.redo : messages.undo.undo}
    </button>
  );
}
