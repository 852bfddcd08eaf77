// A service for tests of imports, which runs calls in the reference model. It stores idempotency
// keys, and can fail before or after a call.

import { graphOf } from '@taskgraph/reference-model/reads';
import { runCommand } from '@taskgraph/reference-model/run';
import { ann, world } from '@taskgraph/reference-model/small-world';
import type { ModelState, ModelUser } from '@taskgraph/reference-model/state';
import { TaskgraphError } from '../../error.ts';
import type { Caller } from '../../transfer/caller.ts';
import type { GraphContent } from '../../transfer/graph/graph-content.ts';

const START = Date.UTC(2026, 0, 1);

export interface ModelService {
  /** A caller for a user; `ann` by default. */
  caller(user?: ModelUser): Caller;
  /** The events of all calls except dry runs. */
  readonly calls: string[];
  /** The graph that a user sees. */
  content(user?: ModelUser): GraphContent;
  state(): ModelState;
  /** Drops all idempotency keys, as the service drops old ones. */
  forgetKeys(): void;
  /** The call with this number fails before or after its execution. */
  breakAt(call: number, when: 'before' | 'after'): void;
}

export function createModelService(): ModelService {
  let state = world();
  let moments = 0;
  let breaks: { readonly call: number; readonly when: 'before' | 'after' } | null = null;
  const calls: string[] = [];
  const newId = (kind: number) => `01985f0e-000${kind}-7000-8000-${String(++moments).padStart(12, '0')}`;
  const now = () => new Date(START + ++moments * 1_000).toISOString();
  const lost = () => new TaskgraphError({ code: 'client.disconnected', message: 'lost', traceId: null });

  /** Ids for each operation of a batch. */
  function momentOf({ operations = [] }: { readonly operations?: readonly unknown[] }) {
    const names = () => ({ nodeId: newId(1), linkId: newId(2), publicToken: newId(3) });
    return { now: now(), batchId: newId(4), ...names(), each: operations.map(names) };
  }

  return {
    calls,
    caller: (user = ann) => ({
      async call(event, payload, { idempotencyKey, dryRun } = {}) {
        const isBroken = dryRun !== true && breaks?.call === calls.length + 1;
        if (dryRun !== true) calls.push(event);
        if (isBroken && breaks?.when === 'before') throw lost();
        const key = dryRun === true ? null : (idempotencyKey ?? newId(5));
        const command = { actor: user, event, payload: JSON.parse(JSON.stringify(payload)), key };
        const ran = runCommand(state, command, momentOf(command.payload));
        if (!ran.answer.ok) {
          const { error, details } = ran.answer;
          throw new TaskgraphError({ code: error as 'not_found', message: error, details, traceId: null });
        }
        if (dryRun !== true) state = ran.state;
        if (isBroken) throw lost();
        return ran.answer.body as never;
      },
    }),
    content: (user = ann) => graphOf(state, user, now()) as unknown as GraphContent,
    state: () => state,
    forgetKeys() {
      state = { ...state, keys: [] };
    },
    breakAt(call, when) {
      breaks = { call: calls.length + call, when };
    },
  };
}
