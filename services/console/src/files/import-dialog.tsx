// The dialog that imports a file: choose, look, decide where it goes, import, and undo. It stays
// open while an import runs. Rule: CON28.
import { type ImportFormat, TRANSFER_BOUNDS } from '@taskgraph/client/transfer';
import { type ReactNode, useEffect, useId, useRef, useState, useSyncExternalStore } from 'react';
import { files as texts } from '../messages/texts/files.ts';
import { MixedText } from '../parts/mixed-text.tsx';
import { note } from '../session/notices.ts';
import { useTask, useWorkspace } from '../session/workspace.tsx';
import { startFilesWorker } from '../worker/files-client.ts';
import { faultText, transferFailureText } from './failure-text.ts';
import { openImportCalls } from './import-calls.ts';
import { createImportSession, type ImportSession, type ImportState } from './import-session.ts';
import { Losses } from './losses.tsx';
import { ParentChoice } from './parent-choice.tsx';
import { PreviewTable } from './preview-table.tsx';
import { TableReading } from './table-reading.tsx';
import { UpdatePreview, UpdateResultView } from './update-report.tsx';
import '../style/files.css';

const MEGABYTE = 1024 * 1024;

interface ImportDialogProps {
  /** The file that was dropped, or the import whose message was pressed; null to choose one. */
  readonly given: File | ImportSession | null;
  /** The task whose panel is open. */
  readonly chosen: string | null;
  /** Opens the dialog again to undo the import. */
  readonly onReopen: (session: ImportSession) => void;
  readonly onClose: () => void;
}

export function ImportDialog({ given, chosen, onReopen, onClose }: ImportDialogProps) {
  const { replica } = useWorkspace();
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  const [session, setSession] = useState<ImportSession | null>(null);
  const state = useImportState(session);

  const begin = (file: File) =>
    setSession(createImportSession({ file, startWorker: startFilesWorker, openCalls: () => openImportCalls(replica) }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another session would be another import.
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal();
    if (given instanceof File) {
      // A file that is dropped during an import must not end it.
      if (session?.state().kind !== 'running') begin(given);
    } else if (given !== null) {
      setSession(given);
      given.undo();
    }
  }, [given]);
  // The worker ends with the dialog; the session can start another one to undo the import.
  useEffect(() => () => session?.end(), [session]);
  const kind = state?.kind;
  // The controls of the last step are gone.
  useEffect(() => {
    if (kind !== undefined) heading.current?.focus();
  }, [kind]);

  const close = () => {
    // The browser closes a dialog at the second Escape, whatever the page says.
    if (state?.kind === 'running') return dialog.current?.showModal();
    if (session !== null && state?.kind === 'imported') {
      const { nodes, links } = state.report;
      const text = texts.imported(session.fileName, nodes, links);
      note('done', text, { label: texts.undoImport, run: () => onReopen(session) });
    }
    onClose();
  };
  return (
    <dialog
      ref={dialog}
      className="files"
      aria-labelledby={id}
      onCancel={(event) => {
        if (state?.kind === 'running') event.preventDefault();
      }}
      onClose={close}
    >
      <h2 id={id} ref={heading} tabIndex={-1}>
        {texts.importTitle}
      </h2>
      {session === null || state === null ? (
        <FileChoice onChoose={begin} />
      ) : (
        <Step session={session} state={state} chosen={chosen} onOther={() => setSession(null)} />
      )}
      {state?.kind !== 'running' && (
        <div className="files-acts">
          <button type="button" onClick={() => dialog.current?.close()}>
            {state?.kind === 'imported' ? texts.close : texts.cancel}
          </button>
        </div>
      )}
    </dialog>
  );
}

function useImportState(session: ImportSession | null): ImportState | null {
  return useSyncExternalStore(session?.subscribe ?? NEVER, () => session?.state() ?? null);
}

const NEVER = () => () => undefined;

function FileChoice({ onChoose }: { readonly onChoose: (file: File) => void }) {
  const id = useId();
  const { bytes, nodes, links } = TRANSFER_BOUNDS;
  return (
    <>
      <p>{texts.importLead}</p>
      <div className="field">
        <label htmlFor={id}>{texts.choose}</label>
        <input
          id={id}
          type="file"
          aria-describedby={`${id}help`}
          onChange={({ target }) => {
            const [file] = target.files ?? [];
            if (file !== undefined) onChoose(file);
          }}
        />
      </div>
      <p className="quiet" id={`${id}help`}>
        {texts.bounds(bytes / MEGABYTE, nodes, links)}
      </p>
    </>
  );
}

interface StepProps {
  readonly session: ImportSession;
  readonly state: ImportState;
  readonly chosen: string | null;
  /** Returns to the choice of a file. */
  readonly onOther: () => void;
}

function Step({ session, state, chosen, onOther }: StepProps) {
  const { fileName } = session;
  switch (state.kind) {
    case 'reading':
      return <p role="status">{texts.reading(fileName)}</p>;
    case 'broken':
      return (
        <>
          <p role="alert" className="refusal">
            {texts.notImported(fileName)} <MixedText text={faultText(state.fault)} />
          </p>
          <FormatChoice
            format={state.fault.kind === 'broken' ? state.fault.format : null}
            onChoose={(format) => session.readAs(format)}
          />
          {Object.keys(state.reading).length > 0 && (
            <TableReading columns={[]} reading={state.reading} onChange={(reading) => session.readTable(reading)} />
          )}
          <OtherFile onOther={onOther} />
        </>
      );
    case 'preview':
      return <Preview session={session} state={state} chosen={chosen} onOther={onOther} />;
    case 'running':
      return <Running session={session} state={state} />;
    case 'failed':
      return <Failed session={session} state={state} />;
    case 'imported':
      return <Imported session={session} state={state} />;
    case 'compared':
      return <UpdatePreview session={session} report={state.report} />;
    case 'updated':
      return <UpdateResultView session={session} report={state.report} />;
  }
}

function OtherFile({ onOther }: { readonly onOther: () => void }) {
  return (
    <p>
      <button type="button" onClick={onOther}>
        {texts.chooseOther}
      </button>
    </p>
  );
}

interface FormatChoiceProps {
  readonly format: ImportFormat | null;
  readonly onChoose: (format: ImportFormat) => void;
}

function FormatChoice({ format, onChoose }: FormatChoiceProps) {
  const id = useId();
  return (
    <p className="files-format">
      <label htmlFor={id}>{texts.format}</label>
      <select id={id} value={format ?? ''} onChange={({ target }) => onChoose(target.value as ImportFormat)}>
        {format === null && (
          <option value="" disabled>
            {texts.chooseFormat}
          </option>
        )}
        {Object.entries(texts.importFormats).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
    </p>
  );
}

type StateProps<K extends ImportState['kind']> = {
  readonly session: ImportSession;
  readonly state: Extract<ImportState, { kind: K }>;
};

function Preview({ session, state, chosen, onOther }: StateProps<'preview'> & Pick<StepProps, 'chosen' | 'onOther'>) {
  const { preview, reading, isStale, isUndone, isUpdateUndone } = state;
  const [under, setUnder] = useState<string | null>(null);
  const parent = useTask(under ?? '');
  const isGone = under !== null && parent === undefined;
  const isDisabled = isGone || isStale || preview.tasks === 0;
  return (
    <>
      {isUndone && <p role="status">{texts.undone(session.fileName)}</p>}
      {isUpdateUndone && <p role="status">{texts.updateUndone(session.fileName)}</p>}
      <p role="status">
        {isStale ? texts.reading(session.fileName) : texts.found(session.fileName, preview.tasks, preview.links)}
      </p>
      <FormatChoice format={preview.format} onChoose={(format) => session.readAs(format)} />
      {preview.columns !== null && (
        <TableReading columns={preview.columns} reading={reading} onChange={(changed) => session.readTable(changed)} />
      )}
      <PreviewTable rows={preview.first} />
      {preview.leftOut.length === 0 ? (
        <p className="quiet">{texts.nothingLeftOut}</p>
      ) : (
        <Losses title={texts.leftOut(preview.leftOut.length)} losses={preview.leftOut} />
      )}
      <ParentChoice under={under} chosen={chosen} onChoose={setUnder} />
      {isGone && (
        <p role="alert" className="refusal">
          {texts.parentGone}
        </p>
      )}
      <p className="files-acts">
        <button type="button" onClick={onOther}>
          {texts.chooseOther}
        </button>
        <button
          type="button"
          className="primary"
          aria-disabled={isDisabled}
          onClick={() => isDisabled || session.run({ under })}
        >
          {texts.run}
        </button>
        <button type="button" onClick={() => session.compare({ overwrite: false, remove: false })}>
          {texts.compare}
        </button>
      </p>
    </>
  );
}

function Running({ session, state }: StateProps<'running'>) {
  const { act, done, parts, isStopping } = state;
  const title = texts.acts[act](session.fileName);
  return (
    <>
      <p role="status">{title}</p>
      <progress aria-label={title} max={Math.max(1, parts)} value={parts === 0 ? undefined : done} />
      <p className="quiet">{isStopping ? texts.stopping : texts.progress(done, parts)}</p>
      <div className="files-acts">
        <button type="button" aria-disabled={isStopping} onClick={() => session.stop()}>
          {texts.stop}
        </button>
      </div>
    </>
  );
}

/** Refusals of an update that its user may override. */
const MISMATCHES: ReadonlySet<string> = new Set(['import.other_file', 'import.many_removals']);

function Failed({ session, state }: StateProps<'failed'>) {
  const { act, failure, stored, parts } = state;
  const { fileName } = session;
  // A part without an answer may be stored.
  const mayHaveMade = stored > 0 || failure.code.startsWith('client.') || failure.code === 'unavailable';
  return (
    <>
      <p role="alert" className="refusal">
        {act === 'import' ? texts.importFailed(fileName, stored, parts) : texts.actFailed[act](fileName)}{' '}
        <MixedText text={transferFailureText(failure)} />
      </p>
      <p className="files-acts">
        {(act === 'undo' || (act === 'import' && mayHaveMade)) && (
          <UndoButton session={session} label={act === 'undo' ? texts.tryAgain : texts.undoImport} />
        )}
        {MISMATCHES.has(failure.code) && (
          <button type="button" onClick={() => session.acceptMismatch()}>
            {texts.acceptMismatch}
          </button>
        )}
        {act !== 'undo' && <Again session={session} label={stored === 0 ? texts.tryAgain : texts.again} />}
      </p>
    </>
  );
}

function Again({ session, label }: { readonly session: ImportSession; readonly label: string }): ReactNode {
  return (
    <button type="button" onClick={() => session.continue()}>
      {label}
    </button>
  );
}

function UndoButton({ session, label }: { readonly session: ImportSession; readonly label: string }) {
  return (
    <button type="button" onClick={() => session.undo()}>
      {label}
    </button>
  );
}

function Imported({ session, state }: StateProps<'imported'>) {
  const { fileName } = session;
  const { nodes, links, parts, there, leftOut } = state.report;
  const isOld = parts > 0 && there === parts;
  return (
    <>
      <p role="status">{isOld ? texts.importedBefore(fileName) : texts.imported(fileName, nodes, links)}</p>
      {leftOut.length > 0 && <Losses title={texts.leftOut(leftOut.length)} losses={leftOut} />}
      <p className="files-acts">
        <UndoButton session={session} label={texts.undoImport} />
        {isOld && (
          <button type="button" onClick={() => session.importCopy()}>
            {texts.importCopy}
          </button>
        )}
      </p>
    </>
  );
}
