// The shares of a task, to change and to end.
import type { Grant } from '@taskgraph/client';
import { type FormEvent, useRef, useState } from 'react';
import { messages } from '../../messages/messages.ts';
import { access as texts } from '../../messages/texts/access.ts';
import { useWorkspace } from '../../session/workspace.tsx';
import { choiceIn, GrantFields } from './grant-fields.tsx';
import { proposeChange, proposeEnd } from './grant-proposals.ts';
import { ProposalBox, useProposal } from './proposal.tsx';

/** Rows that are added at once. */
const ROWS = 100;

interface GrantListProps {
  readonly grants: readonly Grant[];
  /** Whether the service has more of them. */
  readonly hasMore: boolean;
  readonly onMore: () => void;
  readonly onChange: () => void;
}

export function GrantList({ grants, hasMore, onMore, onChange }: GrantListProps) {
  const [rows, setRows] = useState(ROWS);
  const more = () => {
    setRows(rows + ROWS);
    if (rows + ROWS > grants.length) onMore();
  };
  return (
    <>
      <ul className="people">
        {grants.slice(0, rows).map((grant) => (
          <GrantRow key={grant.email} grant={grant} onChange={onChange} />
        ))}
      </ul>
      {(rows < grants.length || hasMore) && (
        <button type="button" onClick={more}>
          {texts.more}
        </button>
      )}
    </>
  );
}

function GrantRow({ grant, onChange }: { readonly grant: Grant; readonly onChange: () => void }) {
  const { replica } = useWorkspace();
  const [isEdited, setIsEdited] = useState(false);
  const change = useRef<HTMLButtonElement>(null);
  const proposing = useProposal(() => {
    setIsEdited(false);
    onChange();
  });
  const preview = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    proposing.propose(async () => proposeChange(replica, grant, choiceIn(form)), change.current);
  };
  return (
    <li>
      <strong dir="auto">{grant.email}</strong> <span>{texts.levels[grant.level]}</span>
      <span className="quiet">
        {grant.branch ? texts.wholeBranch : texts.nodeOnly}
        {grant.due !== null && <> · {texts.until(messages.moment(grant.due))}</>}
      </span>
      <p className="acts">
        <button
          ref={change}
          type="button"
          aria-expanded={isEdited}
          aria-label={texts.changeOf(grant.email)}
          onClick={() => {
            proposing.forget();
            setIsEdited(!isEdited);
          }}
        >
          {texts.change}
        </button>
        <button
          type="button"
          aria-label={texts.endOf(grant.email)}
          onClick={({ currentTarget }) => {
            setIsEdited(false);
            proposing.propose(() => proposeEnd(replica, grant), currentTarget);
          }}
        >
          {texts.end}
        </button>
      </p>
      {isEdited && (
        <form className="stack" onSubmit={preview} onChange={() => proposing.forget()}>
          <GrantFields grant={grant} />
          <button type="submit" aria-disabled={proposing.isBusy}>
            {texts.preview}
          </button>
        </form>
      )}
      <ProposalBox {...proposing} />
    </li>
  );
}
