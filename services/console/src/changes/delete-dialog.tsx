// Asks before a task is deleted for good.
import { useEffect, useId, useRef } from 'react';
import { trash as texts } from '../messages/en/trash.ts';

interface DeleteDialogProps {
  readonly title: string;
  readonly onEnd: (isConfirmed: boolean) => void;
}

export function DeleteDialog({ title, onEnd }: DeleteDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog
      ref={dialog}
      className="question"
      aria-labelledby={id}
      aria-describedby={`${id}text`}
      // Escape closes it too.
      onClose={() => onEnd(dialog.current?.returnValue === 'delete')}
    >
      <h2 id={id}>{texts.deleteTitle(title)}</h2>
      <p id={`${id}text`}>{texts.deleteText}</p>
      <div className="question-acts">
        <button type="button" onClick={() => dialog.current?.close()}>
          {texts.cancel}
        </button>
        <button type="button" className="danger" onClick={() => dialog.current?.close('delete')}>
          {texts.delete}
        </button>
      </div>
    </dialog>
  );
}
