// Ends the reader's own share of a task.
import type { Grant } from '@taskgraph/client';
import type { Task } from '../../graph/task.ts';
import { titleOf } from '../../messages/messages.ts';
import { access as texts } from '../../messages/texts/access.ts';
import { useWorkspace } from '../../session/workspace.tsx';
import { proposeLeave } from './grant-proposals.ts';
import { ProposalBox, useProposal } from './proposal.tsx';

interface LeaveButtonProps {
  readonly grant: Pick<Grant, 'id' | 'email' | 'branch'>;
  readonly task: Task;
  readonly onLeave?: () => void;
}

export function LeaveButton({ grant, task, onLeave = () => undefined }: LeaveButtonProps) {
  const { replica } = useWorkspace();
  const proposing = useProposal(onLeave);
  const title = titleOf(task);
  return (
    <div className="leave">
      <button
        type="button"
        aria-label={texts.leaveOf(title)}
        onClick={({ currentTarget }) =>
          proposing.propose(() => proposeLeave(replica, { ...grant, title }), currentTarget)
        }
      >
        {texts.leave}
      </button>
      <ProposalBox {...proposing} />
    </div>
  );
}
