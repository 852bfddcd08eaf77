// What an update from a file would do or has done, by kind, with the choices for what it leaves. Rules:
// IO12, CON28.
import type { UpdateEntry } from '@taskgraph/client/transfer';
import { useId } from 'react';
import { files as texts } from '../messages/texts/files.ts';
import { MixedText } from '../parts/mixed-text.tsx';
import type { UpdateResult } from '../transfer/file-messages.ts';
import type { ImportSession } from './import-session.ts';

interface ReportProps {
  readonly session: ImportSession;
  readonly report: UpdateResult;
}

export function UpdatePreview({ session, report }: ReportProps) {
  const { entries, changes, choices } = report;
  return (
    <>
      <p role="status">{texts.compared(session.fileName, changes)}</p>
      <Entries entries={entries} />
      <Choice
        label={texts.overwrite}
        isChosen={choices.overwrite}
        onChoose={(overwrite) => session.compare({ ...choices, overwrite })}
      />
      <Choice
        label={texts.remove}
        isChosen={choices.remove}
        onChoose={(remove) => session.compare({ ...choices, remove })}
      />
      <p className="files-acts">
        <button
          type="button"
          className="primary"
          aria-disabled={changes === 0}
          onClick={() => changes === 0 || session.update()}
        >
          {texts.update}
        </button>
      </p>
    </>
  );
}

export function UpdateResultView({ session, report }: ReportProps) {
  return (
    <>
      <p role="status">{texts.updated(session.fileName, report.changes)}</p>
      <Entries entries={report.entries} />
      {report.changes > 0 && (
        <p className="files-acts">
          <button type="button" onClick={() => session.undoUpdate()}>
            {texts.undoUpdate}
          </button>
        </p>
      )}
    </>
  );
}

function Entries({ entries }: { readonly entries: readonly UpdateEntry[] }) {
  return (
    <ul className="losses">
      {entries.map(({ kind, count, places }) => (
        <li key={kind}>
          <MixedText text={texts.loss(texts.updateKinds[kind], count, places)} />
        </li>
      ))}
    </ul>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly isChosen: boolean;
  readonly onChoose: (isChosen: boolean) => void;
}

function Choice({ label, isChosen, onChoose }: ChoiceProps) {
  const id = useId();
  return (
    <p>
      <input id={id} type="checkbox" checked={isChosen} onChange={({ target }) => onChoose(target.checked)} />{' '}
      <label htmlFor={id}>{label}</label>
    </p>
  );
}
