// A batch of operations in one call, written like single calls. Rules: BAT1, BAT2, BAT6.
import type { Calls, EventName } from './calls.ts';

/**
 * A node that an operation creates. Later operations may use its `id`, and `link`, the id of the
 * link to its `target`. After the answer both are real ids.
 */
export interface BatchNode {
  readonly id: string;
  readonly link: string;
}

/** A link that an operation creates or restores. */
export type BatchLink = Pick<BatchNode, 'id'>;

/** The methods of a batch by group, each with the event of its operation. */
export const OPERATIONS = {
  node: {
    add: 'node:add',
    update: 'node:update',
    trash: 'node:trash',
    restore: 'node:restore',
    delete: 'node:delete',
  },
  link: {
    add: 'link:add',
    update: 'link:update',
    swap: 'link:swap',
    trash: 'link:trash',
    restore: 'link:restore',
    delete: 'link:delete',
  },
  access: {
    grant: 'node:access',
    update: 'node:access:update',
    revoke: 'node:access:delete',
    show: 'node:showing',
  },
  publication: { publish: 'node:publish', update: 'node:publish:update', unpublish: 'node:unpublish' },
} as const satisfies Record<string, Record<string, EventName>>;

/** The handles that operations return. */
interface EntityHandles {
  'node:add': BatchNode;
  'link:add': BatchLink;
}

type Method<E extends EventName> = (
  payload: Calls[E]['payload'],
) => E extends keyof EntityHandles ? EntityHandles[E] : void;

/** Collects the operations of one batch, in the order of the calls. */
export type Batch = {
  readonly [G in keyof typeof OPERATIONS]: {
    readonly [M in keyof (typeof OPERATIONS)[G]]: Method<Extract<(typeof OPERATIONS)[G][M], EventName>>;
  };
};

type BatchPayload = Calls['batch:run']['payload'];
type Operation = BatchPayload['operations'][number];
type BatchAnswer = Calls['batch:run']['answer'];

/** Builds a batch and runs it. */
export async function runBatch<T>(
  build: (batch: Batch) => T,
  run: (payload: BatchPayload) => Promise<BatchAnswer>,
): Promise<BatchAnswer & { made: T }> {
  const operations: Operation[] = [];
  let results: BatchAnswer['results'] = [];
  const add = (event: string, payload: unknown) => {
    const at = operations.length;
    const creates = event === 'node:add' || event === 'link:add';
    const as = `n${at}`;
    operations.push({ event, payload, ...(creates ? { as } : {}) } as Operation);
    if (!creates) return undefined;
    return {
      get id() {
        return results[at]?.id ?? `$${as}`;
      },
      get link() {
        return results[at]?.link ?? `$${as}.link`;
      },
    };
  };
  const groups = Object.entries(OPERATIONS).map(([group, methods]) => {
    const entries = Object.entries(methods).map(([name, event]) => [name, (payload: unknown) => add(event, payload)]);
    return [group, Object.fromEntries(entries)];
  });
  const made = build(Object.fromEntries(groups) as Batch);
  const answer = await run({ operations });
  results = answer.results;
  return { ...answer, made };
}
