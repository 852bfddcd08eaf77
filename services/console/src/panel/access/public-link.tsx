// The public link of a task: to make, to copy, to change and to end.
import { type FormEvent, useId, useRef, useState } from 'react';
import { messages, titleOf } from '../../messages/messages.ts';
import { access as texts } from '../../messages/texts/access.ts';
import { pathOf } from '../../routes.ts';
import { note } from '../../session/notices.ts';
import { useWorkspace } from '../../session/workspace.tsx';
import { accessRefusal, branchSize, dryRun, ONE_TASK } from './access-calls.ts';
import { CopyField } from './copy-field.tsx';
import { endOfDay } from './end-of-day.ts';
import { DayField, ScopeField } from './grant-fields.tsx';
import { ProposalBox, useProposal } from './proposal.tsx';
import { isPublic, type SharedTask } from './shared-task.ts';

const NOTHING = () => undefined;

export function PublicLink({ task }: { readonly task: SharedTask }) {
  const headingId = useId();
  return (
    <section aria-labelledby={headingId}>
      <h3 id={headingId}>{texts.publish}</h3>
      {isPublic(task) ? <Publication task={task} /> : <PublishForm task={task} />}
    </section>
  );
}

function PublishForm({ task }: { readonly task: SharedTask }) {
  const { replica } = useWorkspace();
  const proposing = useProposal(NOTHING);
  const button = useRef<HTMLButtonElement>(null);
  const preview = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const fields = new FormData(event.currentTarget);
    const branch = fields.get('scope') === 'branch';
    proposing.propose(async () => {
      const payload = { id: task.id, branch, due: endOfDay(String(fields.get('due') ?? '')) };
      const [size] = await Promise.all([
        branch ? branchSize(replica, task.id) : ONE_TASK,
        dryRun('node:publish', payload),
      ]);
      return {
        lines: [texts.wouldPublish(size.tasks, size.isAtLeast)],
        confirm: texts.confirmPublish,
        async act() {
          await replica.call('node:publish', payload);
          return texts.published(titleOf(task));
        },
      };
    }, button.current);
  };
  return (
    <details className="share">
      <summary>{texts.makeLink}</summary>
      <p className="quiet">{texts.publishLead}</p>
      <form className="stack" onSubmit={preview} onChange={() => proposing.forget()}>
        <ScopeField isBranch />
        <DayField due={null} />
        <button ref={button} type="submit" aria-disabled={proposing.isBusy}>
          {texts.preview}
        </button>
      </form>
      <ProposalBox {...proposing} />
    </details>
  );
}

function Publication({ task }: { readonly task: SharedTask }) {
  const { replica } = useWorkspace();
  const [isEdited, setIsEdited] = useState(false);
  const proposing = useProposal(NOTHING);
  const saveEnd = async (form: HTMLFormElement) => {
    try {
      const due = endOfDay(String(new FormData(form).get('due') ?? ''));
      await replica.call('node:publish:update', { id: task.id, due });
      note('done', texts.endChanged);
      setIsEdited(false);
    } catch (error) {
      note('refused', accessRefusal(error));
    }
  };
  return (
    <>
      <CopyField
        label={texts.link}
        value={location.origin + pathOf({ view: 'published', token: task.publicToken ?? '' })}
      />
      <p className="quiet">
        {task.publicBranch === true ? texts.publicBranch : texts.publicNode}{' '}
        {typeof task.publicDue === 'string' ? texts.ends(messages.moment(task.publicDue)) : texts.noEnd}
      </p>
      <p className="acts">
        <button type="button" aria-expanded={isEdited} onClick={() => setIsEdited(!isEdited)}>
          {texts.changeEnd}
        </button>
        <button
          type="button"
          onClick={({ currentTarget }) => proposing.propose(async () => endOf(task.id), currentTarget)}
        >
          {texts.unpublish}
        </button>
      </p>
      {isEdited && (
        <form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            void saveEnd(event.currentTarget);
          }}
        >
          <DayField due={task.publicDue ?? null} />
          <button type="submit">{texts.saveEnd}</button>
        </form>
      )}
      <ProposalBox {...proposing} />
    </>
  );

  async function endOf(id: string) {
    await dryRun('node:unpublish', { id });
    return {
      lines: [texts.wouldUnpublish],
      confirm: texts.confirmUnpublish,
      async act() {
        await replica.call('node:unpublish', { id });
        return texts.unpublished;
      },
    };
  }
}
