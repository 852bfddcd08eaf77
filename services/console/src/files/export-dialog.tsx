// The dialog that exports what the views show: the tasks of the scope that meet the filter. Rule: CON29.
import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { errorText } from '../error-text.ts';
import { titleOf } from '../messages/messages.ts';
import { files as texts } from '../messages/texts/files.ts';
import { currentPicture } from '../picture/current-picture.ts';
import { note } from '../session/notices.ts';
import { useFilter, useShownTasks } from '../session/shown-tasks.tsx';
import { useTask, useWorkspace } from '../session/workspace.tsx';
import type { ShownLoss } from '../transfer/file-messages.ts';
import { saveFile } from './download.ts';
import { exportContent } from './export-content.ts';
import { type PictureFormat, type TableFormat, writePicture, writeTable } from './exports.ts';
import { fileNameOf } from './file-name.ts';
import { Losses } from './losses.tsx';
import '../style/files.css';

const TABLES: readonly TableFormat[] = ['csv', 'json', 'ics'];
const PICTURES: readonly PictureFormat[] = ['svg', 'png'];

interface Result {
  readonly text: string;
  readonly leftOut: readonly ShownLoss[];
}

export function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const { replica } = useWorkspace();
  const shown = useShownTasks();
  const root = useTask(useFilter().root ?? '');
  const [format, setFormat] = useState<TableFormat | PictureFormat>('csv');
  const [isBusy, setBusy] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  // What the reader sees when the dialog opens; later changes come with the export.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each dialog.
  const { nodes, links } = useMemo(() => exportContent(replica.snapshot(), shown), []);
  const [formats] = useState(() => (currentPicture() === null ? TABLES : [...TABLES, ...PICTURES]));
  useEffect(() => dialog.current?.showModal(), []);

  const save = async () => {
    if (isBusy) return;
    setBusy(true);
    setResult(null);
    try {
      const scope = root === undefined ? '' : titleOf(root);
      const name = fileNameOf(scope, format, texts.allTasks);
      const { content, tasks, leftOut } = await (format === 'svg' || format === 'png'
        ? writePicture(scope === '' ? texts.allTasks : scope, format)
        : writeTable(exportContent(replica.snapshot(), shown), format));
      saveFile(content, name);
      setResult({ text: texts.saved(name, tasks), leftOut });
    } catch (error) {
      note('refused', texts.notSaved(errorText(error)));
    } finally {
      setBusy(false);
    }
  };
  const isEmpty = nodes.length === 0;
  return (
    <dialog ref={dialog} className="files" aria-labelledby={id} onClose={onClose}>
      <h2 id={id} tabIndex={-1}>
        {texts.exportTitle}
      </h2>
      <p>{isEmpty ? texts.exportEmpty : texts.exportLead(nodes.length, links.length)}</p>
      <fieldset className="export-formats">
        <legend>{texts.exportFormat}</legend>
        {formats.map((each) => (
          <label key={each}>
            <input type="radio" name={`${id}format`} checked={format === each} onChange={() => setFormat(each)} />
            <span>{texts.formats[each].name}</span>
            <span className="quiet">{texts.formats[each].text}</span>
          </label>
        ))}
        {formats === TABLES && <p className="quiet">{texts.pictureOnly}</p>}
      </fieldset>
      <div role="status">
        {isBusy && <p>{texts.saving}</p>}
        {result !== null && <p>{result.text}</p>}
      </div>
      {result !== null && result.leftOut.length > 0 && (
        <Losses title={texts.exportLosses(result.leftOut.length)} losses={result.leftOut} />
      )}
      <div className="files-acts">
        <button type="button" onClick={() => dialog.current?.close()}>
          {result === null ? texts.cancel : texts.close}
        </button>
        <button
          type="button"
          className="primary"
          aria-disabled={isEmpty || isBusy}
          onClick={() => isEmpty || void save()}
        >
          {texts.save}
        </button>
      </div>
    </dialog>
  );
}
