// The users of the service, for its administrators: to list, to disable and to enable.
import { rest, TaskgraphError, type User, type Users } from '@taskgraph/client';
import { useCallback, useEffect, useState } from 'react';
import { messages, refusalText } from '../../messages/messages.ts';
import { users as texts } from '../../messages/texts/users.ts';
import { ProposalBox, useProposal } from '../../panel/access/proposal.tsx';
import { MixedText } from '../../parts/mixed-text.tsx';
import { useWorkspace } from '../../session/workspace.tsx';
import '../../style/access.css';

const ROWS = 100;

const { request } = rest({ url: location.origin, session: true });

export function UsersView() {
  const { users, next, failure, read, show, refuse } = useUsers();
  return (
    <div className="view">
      <h1>{texts.title}</h1>
      <p className="quiet">{texts.lead}</p>
      <ul className="people" aria-label={texts.list}>
        {users.map((user) => (
          <UserRow key={user.id} user={user} onChange={show} onRefusal={refuse} />
        ))}
      </ul>
      {failure !== null && (
        <p className="refusal" role="alert">
          <MixedText text={failure} />{' '}
          <button type="button" onClick={read}>
            {texts.retry}
          </button>
        </p>
      )}
      {failure === null && next === undefined && <p className="quiet">{texts.reading}</p>}
      {failure === null && typeof next === 'string' && (
        <button type="button" onClick={read}>
          {texts.more(ROWS)}
        </button>
      )}
    </div>
  );
}

interface UserRowProps {
  readonly user: User;
  readonly onChange: (user: User) => void;
  readonly onRefusal: (error: unknown) => void;
}

function UserRow({ user, onChange, onRefusal }: UserRowProps) {
  const { replica } = useWorkspace();
  const { id, email, username, admin, disabled, createdTime, maintainer } = user;
  const proposing = useProposal(
    () => onChange({ ...user, disabled: !disabled }),
    (error) => {
      onRefusal(error);
      return userRefusal(error);
    },
  );
  const isSelf = username === replica.username && maintainer === undefined;
  const facts = [texts.since(messages.moment(createdTime))];
  if (maintainer !== undefined) facts.unshift(texts.botOf(maintainer.email));
  if (disabled) facts.unshift(texts.disabled);
  if (admin) facts.unshift(texts.administrator);
  if (isSelf) facts.unshift(texts.you);
  const prepare = async () => ({
    lines: [(disabled ? texts.enableLead : texts.disableLead)(username)],
    confirm: disabled ? texts.enableConfirm : texts.disableConfirm,
    async act() {
      await request('PUT', '/api/admin/user', { body: { id, disabled: !disabled } });
      return (disabled ? texts.hasEnabled : texts.hasDisabled)(username);
    },
  });
  return (
    <li>
      <strong dir="auto">{username}</strong>
      <span dir="auto">{email}</span>
      <span className="quiet">{facts.join(' · ')}</span>
      {!isSelf && (
        <p className="acts">
          <button
            type="button"
            aria-label={(disabled ? texts.enableOf : texts.disableOf)(username)}
            onClick={({ currentTarget }) => proposing.propose(prepare, currentTarget)}
          >
            {disabled ? texts.enable : texts.disable}
          </button>
        </p>
      )}
      <ProposalBox {...proposing} />
    </li>
  );
}

/** `next`: undefined until the first page is there, null after the last. */
interface UserPages {
  readonly users: readonly User[];
  readonly next: string | null | undefined;
}

const NONE: UserPages = { users: [], next: undefined };

function useUsers() {
  const [pages, setPages] = useState<UserPages>(NONE);
  const [failure, setFailure] = useState<string | null>(null);
  const fail = useCallback((error: unknown) => {
    setFailure(userRefusal(error));
    if (isForbidden(error)) setPages(NONE);
  }, []);
  const readAfter = useCallback(
    (after: string | null | undefined) => {
      const query = typeof after === 'string' ? { limit: ROWS, after } : { limit: ROWS };
      setFailure(null);
      request<Users>('GET', '/api/admin/users', { query })
        .then(({ users, next }) =>
          // A page that is there already was requested twice.
          setPages((now) => (now.next === after ? { users: [...now.users, ...users], next } : now)),
        )
        .catch(fail);
    },
    [fail],
  );
  useEffect(() => readAfter(undefined), [readAfter]);
  return {
    ...pages,
    failure,
    read: () => readAfter(pages.next),
    /** A refused act: who is no administrator any more sees no users. */
    refuse(error: unknown) {
      if (isForbidden(error)) fail(error);
    },
    show: (user: User) =>
      setPages(({ users, next }) => ({ next, users: users.map((each) => (each.id === user.id ? user : each)) })),
  };
}

function isForbidden(error: unknown): boolean {
  return error instanceof TaskgraphError && error.code === 'forbidden';
}

function userRefusal(error: unknown): string {
  return (error instanceof TaskgraphError ? texts.refusals[error.code] : undefined) ?? refusalText(error);
}
