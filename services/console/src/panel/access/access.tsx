// Who has access to a task and why, sharing it, and its public link. Readers who may not share it see
// only why they see it, and can leave their own share.
import { useId } from 'react';
import type { Task } from '../../graph/task.ts';
import { access as texts } from '../../messages/texts/access.ts';
import { GrantList } from './grant-list.tsx';
import { LeaveButton } from './leave-button.tsx';
import { PublicLink } from './public-link.tsx';
import { ShareForm } from './share-form.tsx';
import { mayShare, sharedTaskOf } from './shared-task.ts';
import { useAccess } from './use-access.ts';
import { WayList } from './way-list.tsx';
import '../../style/access.css';

export function Access({ task }: { readonly task: Task }) {
  const headingId = useId();
  const isSharer = mayShare(task);
  const { state, reload, readMore } = useAccess(task.id, isSharer);
  return (
    <div className="access-content">
      <section aria-labelledby={headingId} aria-busy={state.kind === 'loading'}>
        <h3 id={headingId}>{isSharer ? texts.people : texts.yours}</h3>
        {state.kind === 'loading' && <p className="quiet">{texts.loading}</p>}
        {state.kind === 'refused' && (
          <p className="refusal">
            {state.reason}{' '}
            <button type="button" onClick={reload}>
              {texts.reload}
            </button>
          </p>
        )}
        {state.kind === 'loaded' && (
          <>
            <WayList ways={state.access.ways} />
            {isSharer ? (
              <GrantList
                grants={state.access.grants}
                hasMore={state.access.next !== undefined}
                onMore={readMore}
                onChange={reload}
              />
            ) : (
              state.access.grants.map((grant) => <LeaveButton key={grant.email} grant={grant} task={task} />)
            )}
            {state.access.truncated && <p className="quiet">{texts.incomplete}</p>}
          </>
        )}
      </section>
      {isSharer && <ShareForm task={task} onChange={reload} />}
      {isSharer && <PublicLink task={sharedTaskOf(task)} />}
    </div>
  );
}
