// A form that creates something of the reader's account. It is emptied once that is done.
import { type FormEvent, type ReactNode, useState } from 'react';
import { note } from '../../session/notices.ts';
import { accountRefusal } from './own-account.ts';

interface CreationFormProps {
  /** The text of the button. */
  readonly submit: string;
  /** Creates it, and returns what was done. */
  readonly create: (fields: FormData) => Promise<string>;
  readonly refusalOf?: (error: unknown) => string;
  readonly children: ReactNode;
}

export function CreationForm({ submit, create, refusalOf = accountRefusal, children }: CreationFormProps) {
  const [isSending, setIsSending] = useState(false);
  const send = async (form: HTMLFormElement) => {
    setIsSending(true);
    try {
      const done = await create(new FormData(form));
      form.reset();
      note('done', done);
    } catch (error) {
      note('refused', refusalOf(error));
    } finally {
      setIsSending(false);
    }
  };
  return (
    <form
      className="stack"
      onSubmit={(event: FormEvent<HTMLFormElement>) => {
        event.preventDefault();
        if (!isSending) void send(event.currentTarget);
      }}
    >
      {children}
      <button type="submit" aria-disabled={isSending}>
        {submit}
      </button>
    </form>
  );
}
