// Hand-made due dates: a child and another node of Ann's root, which Bob sees, and webhooks that report their dates.
import { Status } from '@taskgraph/wire/codes';
import type { Change, HookEvent, HookMessage, RunClock, WebhookLog } from '../../history/history.ts';
import { added, batch, command, grant, type RunRecords } from './hand-made.ts';
import { message, webhook } from './hand-made-webhooks.ts';

/** A time of the run, seconds, as the service writes it. */
export const second = (seconds: number) => new Date(seconds * 1_000).toISOString();

/** A command of Ann at a second. */
export type Step = readonly [second: number, key: string, changes: readonly Change[]];

export const change = (version: number, after: object, id = 'child'): Change[] => [
  { kind: 'node', id, before: { version: version - 1 }, after: { version, ...after } },
];
export const completed = (version: number) => change(version, { status: Status.COMPLETED });
export const reopened = (version: number) => change(version, { status: Status.AVAILABLE });
export const revoked: Change[] = [grant(null)];

/** The child is due at 60 s, and the other node at 62 s. */
export const DUE_AT = second(60);
export const OTHER_AT = second(62);
const STEPS: readonly Step[] = [
  [0, 'root', added('root', 'root')],
  [5, 'child', added('child', 'child', 'root')],
  [10, 'other', added('other', 'other', 'root')],
  [15, 'share', [grant(2)]],
  [30, 'date', change(2, { dueDate: DUE_AT })],
  [31, 'other-date', change(2, { dueDate: OTHER_AT }, 'other')],
  [32, 'named', change(3, { title: 'named' })],
];
/** When the webhooks were added. */
const ADDED_MS = 25_000;

export const due = (more: Partial<HookEvent> = {}): HookEvent => ({
  type: 'node.due',
  batch: '',
  id: 'child',
  isWhole: true,
  version: 3,
  title: 'named',
  level: null,
  dueDate: DUE_AT,
  digest: 1,
  ...more,
});
export const otherDue = due({ id: 'other', version: 2, title: 'other', dueDate: OTHER_AT });
export const about = (id: string, at: number, events: HookEvent[], more: Partial<HookMessage> = {}): HookMessage =>
  message(id, at * 1_000, events, { type: 'graph.due', ...more });

interface DueRun {
  /** Further commands. */
  readonly steps?: readonly Step[];
  readonly messages: readonly HookMessage[];
  readonly log?: Partial<WebhookLog>;
  readonly user?: string;
  readonly clock?: Partial<RunClock>;
}

/** A run with one webhook for due dates, of Ann unless another user is given. */
export function dueRun({ steps = [], messages, log = {}, user = 'ann', clock = {} }: DueRun): RunRecords {
  const ordered = [...STEPS, ...steps].sort(([one], [other]) => one - other);
  const counts = new Map<string, number>();
  const next = (feed: string) => {
    counts.set(feed, (counts.get(feed) ?? 0) + 1);
    return counts.get(feed) as number;
  };
  const batches = ordered.map(([at, key, changes]) => {
    const isGrant = changes.some(({ kind }) => kind === 'grant');
    const feeds = ['user:ann', isGrant ? 'user:bob' : 'root:root'].map((feed) => [feed, next(feed)] as const);
    return batch(key, Object.fromEntries(feeds), [...changes], { ts: second(at) });
  });
  return {
    history: {
      clock: { epochMs: 0, storedMs: 200_000, isSet: false, ...clock },
      commands: ordered.map(([at, key]) => command(key, at * 1_000)),
      claims: [],
      reads: [],
      connections: [],
      replicas: [],
      webhooks: [webhook(user, [...messages], { events: ['node.due'], addedMs: ADDED_MS, ...log })],
    },
    stored: {
      users: ['ann', 'bob', 'eve'].map((id) => ({ id, email: `${id}@example.com` })),
      batches,
      entries: batches.flatMap(({ feeds }) => Object.entries(feeds).map(([feed, seq]) => ({ feed, seq }))),
    },
  };
}
