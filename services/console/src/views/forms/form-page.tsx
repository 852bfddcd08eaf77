// The page of a form for readers without a session: title, fields, a button, and how it ended.
import { type FormEvent, type ReactNode, useEffect, useId, useState } from 'react';
import { messages, refusalText } from '../../messages/messages.ts';
import { MixedText } from '../../parts/mixed-text.tsx';

interface FormPageProps {
  readonly title: string;
  readonly lead?: string;
  readonly submit: string;
  /** Sends the fields. Throws if they are refused; its result is shown in place of the form. */
  readonly send: (fields: Readonly<Record<string, string>>) => Promise<string | null>;
  /** A refusal in words; by default those of all calls. */
  readonly refusalOf?: (error: unknown) => string;
  readonly children: ReactNode;
  /** Links below the form. */
  readonly below?: ReactNode;
}

export function FormPage({ title, lead, submit, send, refusalOf = refusalText, children, below }: FormPageProps) {
  const [outcome, setOutcome] = useState<{ readonly refusal?: string; readonly done?: string }>({});
  const [isSending, setIsSending] = useState(false);
  useEffect(() => {
    document.title = messages.title(title);
  }, [title]);
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSending) return;
    const fields = Object.fromEntries(
      [...new FormData(event.currentTarget)].map(([name, value]) => [name, `${value}`]),
    );
    setIsSending(true);
    setOutcome({});
    send(fields)
      .then((done) => setOutcome(done === null ? {} : { done }))
      .catch((error: unknown) => setOutcome({ refusal: refusalOf(error) }))
      .finally(() => setIsSending(false));
  };
  return (
    <main className="page-alone">
      <p className="brand">{messages.brand}</p>
      <h1>{title}</h1>
      {lead !== undefined && outcome.done === undefined && (
        <p className="quiet">
          <MixedText text={lead} />
        </p>
      )}
      {outcome.done === undefined && (
        <form className="stack" onSubmit={onSubmit}>
          {children}
          <button type="submit" className="primary" aria-disabled={isSending}>
            {submit}
          </button>
        </form>
      )}
      <p role="alert" className="refusal">
        {outcome.refusal !== undefined && <MixedText text={outcome.refusal} />}
      </p>
      <p role="status">{outcome.done}</p>
      {below !== undefined && <p className="links">{below}</p>}
    </main>
  );
}

interface FieldProps {
  readonly name: string;
  readonly label: string;
  readonly type: 'email' | 'password' | 'text';
  readonly autoComplete: string;
  readonly maxLength?: number;
}

/** The longest field of a form; the service states its own bounds. */
const MOST_CHARACTERS = 1_000;

export function Field({ name, label, type, autoComplete, maxLength = MOST_CHARACTERS }: FieldProps) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input id={id} name={name} type={type} autoComplete={autoComplete} maxLength={maxLength} required />
    </div>
  );
}
