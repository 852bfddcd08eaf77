// The section of the panel on access. Its content is loaded when the reader opens it.
import { lazy, Suspense, useState } from 'react';
import type { Task } from '../../graph/task.ts';
import { messages } from '../../messages/messages.ts';
import { isPublic, sharedTaskOf } from './shared-task.ts';

const Access = lazy(() => import('./access.tsx').then((module) => ({ default: module.Access })));

export function AccessSection({ task }: { readonly task: Task }) {
  const { panel: texts } = messages;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <section aria-label={texts.access}>
      <details className="access" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary data-section="access">
          {texts.access}
          {isPublic(sharedTaskOf(task)) && <span className="quiet"> · {texts.hasPublicLink}</span>}
        </summary>
        {isOpen && (
          <Suspense fallback={<p className="quiet">{messages.opening}</p>}>
            <Access task={task} />
          </Suspense>
        )}
      </details>
    </section>
  );
}
