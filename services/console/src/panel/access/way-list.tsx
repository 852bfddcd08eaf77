// The ways by which readers see a task, other than the shares of the task itself.
import type { AccessPath } from '@taskgraph/client';
import { followLink } from '../../history.ts';
import { messages, titleOf } from '../../messages/messages.ts';
import { access as texts } from '../../messages/texts/access.ts';
import { pathOf } from '../../routes.ts';
import { useTask } from '../../session/workspace.tsx';

export function WayList({ ways }: { readonly ways: readonly AccessPath[] }) {
  if (ways.length === 0) return null;
  return (
    <ul className="people">
      {ways.map((way) => (
        <li key={`${way.email} ${way.by} ${way.root}`}>
          <strong dir="auto">{whoOf(way)}</strong> <span>{texts.levels[way.level]}</span>
          <span className="quiet">
            <Reason way={way} />
            {way.due !== null && <> · {texts.until(messages.moment(way.due))}</>}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Only a list of all readers names them. */
function whoOf({ by, email }: AccessPath): string {
  if (by === 'publication') return texts.everyone;
  return email ?? texts.you;
}

function Reason({ way: { by, root } }: { readonly way: AccessPath }) {
  switch (by) {
    case 'owner':
      return texts.because.owner;
    case 'grant':
      return texts.because.here;
    default:
      return (
        <>
          {texts.because[by]} <RootLink id={root} />
        </>
      );
  }
}

function RootLink({ id }: { readonly id: string }) {
  const root = useTask(id);
  if (root === undefined) return texts.because.hiddenRoot;
  return (
    <a href={pathOf({ view: 'task', id })} onClick={followLink}>
      {messages.quoted(titleOf(root))}
    </a>
  );
}
