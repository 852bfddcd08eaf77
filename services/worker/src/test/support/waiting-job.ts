// A job as it waits in a mailbox. Its answers are recorded.
import type { Reply } from '@taskgraph/bus/requests/reply-encoding';
import type { AnyDefinition } from '@taskgraph/commands/pipeline/command';
import { composeId } from '@taskgraph/wire/ids';
import type { Job } from '../../commit/job.ts';

const id = composeId(0, 0, 0, new Uint8Array(6));

/** The name is also its key. */
export function waitingJob(
  name: string,
  user: string,
  slot: number,
  deadline = Number.POSITIVE_INFINITY,
): Job & { replies: Reply[] } {
  const replies: Reply[] = [];
  return {
    message: {
      id,
      event: name,
      payload: {},
      actor: { id: user, username: user, email: `${user}@example.com` },
      key: null,
      deadline,
      traceId: '',
    },
    definition: {} as AnyDefinition,
    payload: {},
    slot,
    key: name,
    dryRun: false,
    payloadHash: '',
    scopes: null,
    bytes: 100,
    replies,
    answer: (reply) => void replies.push(reply),
  };
}
