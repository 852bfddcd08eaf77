// The form that shares a task. Before anything is sent, a dry run says what it does.
import { type FormEvent, useId, useRef } from 'react';
import type { Task } from '../../graph/task.ts';
import { access as texts } from '../../messages/texts/access.ts';
import { useWorkspace } from '../../session/workspace.tsx';
import { choiceIn, GrantFields } from './grant-fields.tsx';
import { proposeShare } from './grant-proposals.ts';
import { ProposalBox, useProposal } from './proposal.tsx';

const MOST_CHARACTERS = 255;

interface ShareFormProps {
  readonly task: Task;
  readonly onChange: () => void;
}

export function ShareForm({ task, onChange }: ShareFormProps) {
  const { replica } = useWorkspace();
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const email = useRef<HTMLInputElement>(null);
  const proposing = useProposal(() => {
    form.current?.reset();
    onChange();
  });
  const preview = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const target = event.currentTarget;
    proposing.propose(async () => {
      const share = { id: task.id, email: email.current?.value.trim() ?? '', choice: choiceIn(target) };
      return proposeShare(replica, share);
    }, email.current);
  };
  return (
    <details className="share">
      <summary>{texts.share}</summary>
      {/* What a changed field does is not what the reader has confirmed. */}
      <form ref={form} className="stack" onSubmit={preview} onChange={() => proposing.forget()}>
        <div className="field">
          <label htmlFor={id}>{texts.email}</label>
          <input id={id} ref={email} type="email" autoComplete="off" maxLength={MOST_CHARACTERS} required />
        </div>
        <GrantFields />
        <button type="submit" aria-disabled={proposing.isBusy}>
          {texts.preview}
        </button>
      </form>
      <ProposalBox {...proposing} />
    </details>
  );
}
