// A dialog that asks before an act, or for the value that it needs.
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { messages } from '../messages/messages.ts';
import '../style/question.css';

interface QuestionDialogProps {
  readonly title: string;
  /** The text of the button that confirms. */
  readonly confirm: string;
  readonly isDangerous?: boolean;
  /** Whether the reader may confirm now. If not, the dialog stays open. */
  readonly isValid?: () => boolean;
  readonly onEnd: (isConfirmed: boolean) => void;
  readonly children: ReactNode;
}

export function QuestionDialog({ title, confirm, isDangerous, isValid, onEnd, children }: QuestionDialogProps) {
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
      onClose={() => onEnd(dialog.current?.returnValue === 'confirmed')}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isValid?.() !== false) dialog.current?.close('confirmed');
        }}
      >
        <h2 id={id}>{title}</h2>
        <div id={`${id}text`} className="stack">
          {children}
        </div>
        <div className="question-acts">
          <button type="button" onClick={() => dialog.current?.close()}>
            {messages.cancel}
          </button>
          <button type="submit" className={isDangerous ? 'danger' : undefined}>
            {confirm}
          </button>
        </div>
      </form>
    </dialog>
  );
}
