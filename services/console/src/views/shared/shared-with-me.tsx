// The tasks that others share with the reader: the roots of the feeds that the service lists.
import { account, type Replica } from '@taskgraph/client';
import { useCallback, useEffect, useState } from 'react';
import { refusalText } from '../../messages/messages.ts';
import { access as accessTexts } from '../../messages/texts/access.ts';
import { shared as texts } from '../../messages/texts/shared.ts';
import { LeaveButton } from '../../panel/access/leave-button.tsx';
import { sharedTaskOf } from '../../panel/access/shared-task.ts';
import { useWorkspace } from '../../session/workspace.tsx';
import { SharedList } from './shared-list.tsx';

interface ForeignShares {
  /** The e-mail of the reader, to whom the shares were given. */
  readonly email: string;
  /** By the id of the root: whether a share covers its branch. */
  readonly branches: ReadonlyMap<string, boolean>;
  readonly truncated: boolean;
}

export function SharedWithMe({ chosen }: { readonly chosen: string | null }) {
  const { replica } = useWorkspace();
  const { shares, failure, reload } = useForeignShares(replica);
  if (failure !== null) {
    return (
      <p className="refusal">
        {failure}{' '}
        <button type="button" onClick={reload}>
          {texts.reload}
        </button>
      </p>
    );
  }
  if (shares === null) return <p className="quiet">{texts.reading}</p>;
  const { email, branches, truncated } = shares;
  return (
    <>
      {branches.size === 0 && <p className="hint">{texts.withMeEmpty}</p>}
      <SharedList
        label={texts.withMe}
        ids={[...branches.keys()]}
        chosen={chosen}
        facts={(task) => [
          texts.owner(sharedTaskOf(task).ownerUsername ?? ''),
          texts.level(accessTexts.levels[task.access ?? 0] ?? ''),
          branches.get(task.id) === true ? accessTexts.wholeBranch : accessTexts.nodeOnly,
        ]}
        acts={(task) => (
          <LeaveButton
            grant={{ id: task.id, email, branch: branches.get(task.id) === true }}
            task={task}
            onLeave={reload}
          />
        )}
      />
      {truncated && <p className="quiet">{texts.truncated}</p>}
    </>
  );
}

/** They are read again when the reader gains or loses access. */
function useForeignShares(replica: Replica) {
  const [shares, setShares] = useState<ForeignShares | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const [reading, setReading] = useState(0);
  const reload = useCallback(() => setReading((number) => number + 1), []);
  useEffect(() => {
    let isCurrent = reading >= 0;
    readForeignShares(replica)
      .then((read) => {
        if (!isCurrent) return;
        setShares(read);
        setFailure(null);
      })
      .catch((error: unknown) => {
        if (isCurrent) setFailure(refusalText(error));
      });
    return () => {
      isCurrent = false;
    };
  }, [replica, reading]);
  useEffect(() => replica.on('access', reload), [replica, reload]);
  return { shares, failure, reload };
}

async function readForeignShares(replica: Replica): Promise<ForeignShares> {
  const [{ email }, { feeds = {}, truncated }] = await Promise.all([
    account({ url: location.origin, session: true }).me(),
    replica.call('graph:get', { limit: 1, fields: ['id'] }),
  ]);
  const branches = new Map<string, boolean>();
  for (const feed of Object.keys(feeds).sort()) {
    const [kind, id = ''] = feed.split(':');
    // The feed of a branch has the root too.
    if (kind === 'root') branches.set(id, true);
    else if (kind === 'node' && !branches.has(id)) branches.set(id, false);
  }
  return { email, branches, truncated: truncated === true };
}
