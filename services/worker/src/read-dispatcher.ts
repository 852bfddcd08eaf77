// Answers reads of clients and gateways, and account operations, behind the same gates.
import { encodeRawReply } from '@taskgraph/bus/requests/raw-reply';
import { type EncodedReply, encodeReply } from '@taskgraph/bus/requests/reply-encoding';
import type { Log } from '@taskgraph/runtime/telemetry/log';
import type { ReadMessage } from '@taskgraph/wire/bus/calls';
import { answerAccount, isAccountEvent } from './accounts/table.ts';
import type { createReadGates } from './reads/read-gates.ts';
import { answerRead } from './reads/reads.ts';

type ReadParameters = Parameters<typeof answerRead>;

interface ReadDispatcherOptions {
  readonly gates: Pick<ReturnType<typeof createReadGates>, 'pass'>;
  readonly environment: Parameters<typeof answerAccount>[1] & ReadParameters[1];
  readonly log: Log;
}

export function createReadDispatcher({ gates, environment, log }: ReadDispatcherOptions) {
  return ({ event, ...message }: ReadMessage, answered: ReadParameters[2]) => {
    const receivedAt = performance.now();
    return gates.pass({ event, ...message }, async () =>
      isAccountEvent(event)
        ? answerAccount({ event, ...message }, environment)
        : encoded(log, await answerRead({ event, ...message }, { ...environment, receivedAt }, answered)),
    );
  };
}

function encoded(log: Log, reply: Awaited<ReturnType<typeof answerRead>>): EncodedReply {
  if ('compressed' in reply) return { encoded: encodeRawReply(reply), plainBytes: reply.compressed.length };
  return 'json' in reply ? { encoded: encodeRawReply(reply) } : encodeReply(log, reply, 'read');
}
