// Files in the frame of the page: a file that is dropped anywhere, and the dialogs to import and export,
// which are loaded when they open.
import { lazy, Suspense, useEffect, useState } from 'react';
import { messages } from '../messages/messages.ts';
import { note } from '../session/notices.ts';
import type { ImportSession } from './import-session.ts';

const ImportDialog = lazy(() => import('./import-dialog.tsx').then((module) => ({ default: module.ImportDialog })));
const ExportDialog = lazy(() => import('./export-dialog.tsx').then((module) => ({ default: module.ExportDialog })));

/** `given`: a file that was dropped, or an import to undo. */
export type OpenFileDialog =
  | { readonly kind: 'import'; readonly given: File | ImportSession | null }
  | { readonly kind: 'export' };

interface FileToolsProps {
  readonly open: OpenFileDialog | null;
  readonly onOpen: (dialog: OpenFileDialog) => void;
  readonly onClose: () => void;
  /** The task whose panel is open. */
  readonly chosen: string | null;
}

export function FileTools({ open, onOpen, onClose, chosen }: FileToolsProps) {
  const isOver = useFileDrop((file) => onOpen({ kind: 'import', given: file }), open?.kind !== 'export');
  return (
    <>
      {isOver && <p className="drop-hint">{messages.files.drop}</p>}
      <Suspense>
        {open?.kind === 'import' && (
          <ImportDialog
            given={open.given}
            chosen={chosen}
            onReopen={(session) => onOpen({ kind: 'import', given: session })}
            onClose={onClose}
          />
        )}
        {open?.kind === 'export' && <ExportDialog onClose={onClose} />}
      </Suspense>
    </>
  );
}

/**
 * Whether a file is over the page. Without this, the browser would leave the page to show the file.
 * `isFree`: no dialog is open that does not take a file.
 */
function useFileDrop(dropped: (file: File) => void, isFree: boolean): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const take = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files') !== true) return false;
      event.preventDefault();
      return true;
    };
    const over = (event: DragEvent) => {
      if (!take(event) || event.dataTransfer === null) return;
      event.dataTransfer.dropEffect = isFree ? 'copy' : 'none';
      setOver(isFree);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      if (!take(event) || !isFree) return;
      const [file, ...others] = event.dataTransfer?.files ?? [];
      if (others.length > 0) note('refused', messages.files.one);
      else if (file !== undefined) dropped(file);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  });
  return isOver;
}
