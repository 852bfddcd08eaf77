// Several operations in one call, written like single ones. Rules: BAT1, BAT2, BAT6.
import type { Calls, EventName } from './calls.ts';

/** A node that an operation makes. `id` and `link`, that of the link to its `target`, name it in later operations, and are ids from the answer on. */
export interface MadeNode {
  readonly id: string;
  readonly link: string;
}

/** A link that an operation makes or brings back. */
export type MadeLink = Pick<MadeNode, 'id'>;

/** The methods of a batch, by their group; each stands for the operation of the event beside it. */
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

interface Making {
  'node:add': MadeNode;
  'link:add': MadeLink;
}

type Method<E extends EventName> = (payload: Calls[E]['payload']) => E extends keyof Making ? Making[E] : void;

/** Notes the operations of one batch, in the order in which its methods are called. */
export type Batch = {
  readonly [G in keyof typeof OPERATIONS]: {
    readonly [M in keyof (typeof OPERATIONS)[G]]: Method<Extract<(typeof OPERATIONS)[G][M], EventName>>;
  };
};

type Payload = Calls['batch:run']['payload'];
type Operation = Payload['operations'][number];
type Answer = Calls['batch:run']['answer'];

/** Has a batch written and run. */
export async function runBatch<T>(
  build: (batch: Batch) => T,
  run: (payload: Payload) => Promise<Answer>,
): Promise<Answer & { made: T }> {
  const operations: Operation[] = [];
  let results: Answer['results'] = [];
  const note = (event: string, payload: unknown) => {
    const at = operations.length;
    const makes = event === 'node:add' || event === 'link:add';
    const as = `n${at}`;
    operations.push({ event, payload, ...(makes ? { as } : {}) } as Operation);
    if (!makes) return undefined;
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
    const entries = Object.entries(methods).map(([name, event]) => [name, (payload: unknown) => note(event, payload)]);
    return [group, Object.fromEntries(entries)];
  });
  const made = build(Object.fromEntries(groups) as Batch);
  const answer = await run({ operations });
  results = answer.results;
  return { ...answer, made };
}
