// The graphs on which the examples of calls are made: small ones of one user, shared with a guest
// at most.
import { EXAMPLE } from '@taskgraph/wire/operations/examples';
import type { EventName } from '@taskgraph/wire/operations/operations';
import { type Call, restCall } from '../calls.ts';
import type { Names } from './names.ts';

/** Two users of one example, and how they call. */
export interface Stage {
  readonly names: Names;
  readonly ann: Call;
  readonly bob: Call;
}

export function openStage(url: string, ann: Person, bob: Person): Stage {
  const names: Names = new Map([
    [EXAMPLE.email, ann.email],
    [EXAMPLE.guest, bob.email],
  ]);
  return { names, ann: restCall(url, ann.token), bob: restCall(url, bob.token) };
}

interface Person {
  readonly email: string;
  readonly token: string;
}

interface DiffEntry {
  readonly after: { readonly id: string; readonly publicToken?: string };
}
interface StageDiff {
  readonly nodes: readonly DiffEntry[];
  readonly links: readonly DiffEntry[];
  readonly batchId: string;
}

async function make(call: Call, event: EventName, payload: object): Promise<StageDiff> {
  const { body } = await call(event, payload);
  if (!body.ok) throw new Error(`${event} was refused: ${JSON.stringify(body)}`);
  return body.diff as StageDiff;
}

/** Creates the example's `node`. */
async function node({ ann, names }: Stage): Promise<string> {
  const { nodes } = await make(ann, 'node:add', { title: 'Go live' });
  const id = nodes[0]?.after.id ?? '';
  names.set(EXAMPLE.node, id);
  return id;
}

/** A second one, which blocks the first, or is blocked by it. */
async function pair(stage: Stage, direction: 'blocks' | 'blocked' | 'apart'): Promise<string> {
  const id = await node(stage);
  const { nodes } = await make(stage.ann, 'node:add', { title: 'Set up the domain' });
  const other = nodes[0]?.after.id ?? '';
  stage.names.set(EXAMPLE.other, other);
  if (direction === 'apart') return id;
  const ends = direction === 'blocks' ? { source: other, target: id } : { source: id, target: other };
  const { links } = await make(stage.ann, 'link:add', ends);
  stage.names.set(EXAMPLE.link, links[0]?.after.id ?? '');
  return id;
}

const nodeThen =
  (...events: readonly [EventName, object?][]) =>
  async (stage: Stage) => {
    const id = await pair(stage, 'blocks');
    for (const [event, more = {}] of events) await make(stage.ann, event, { id, ...more });
  };

const linkThen =
  (...events: readonly EventName[]) =>
  async (stage: Stage) => {
    await pair(stage, 'blocks');
    for (const event of events) await make(stage.ann, event, { id: stage.names.get(EXAMPLE.link) });
  };

const shared = (stage: Stage) => nodeThen(['node:access', { email: stage.names.get(EXAMPLE.guest), level: 2 }])(stage);

/** Creates the example's `batch`. */
async function renamed(stage: Stage): Promise<string> {
  const { batchId } = await make(stage.ann, 'node:update', { id: await node(stage), title: 'Go live on Monday' });
  stage.names.set(EXAMPLE.batch, batchId);
  return batchId;
}

/** A node that the example of a claim finds. */
async function tagged({ ann, names }: Stage): Promise<void> {
  const { nodes } = await make(ann, 'node:add', { title: 'Set up the domain', tags: ['infrastructure'] });
  names.set(EXAMPLE.node, nodes[0]?.after.id ?? '');
}

/** Claims the example's `node`. */
async function claimed(stage: Stage): Promise<void> {
  const { batchId } = await make(stage.ann, 'node:claim', { id: await node(stage) });
  stage.names.set(EXAMPLE.claim, batchId);
}

/** The stages of examples that need more than two nodes and a link. */
const STAGES: Readonly<Partial<Record<EventName, (stage: Stage) => Promise<unknown>>>> = {
  'node:add': node,
  'node:update': (stage) => pair(stage, 'blocked'),
  'node:claim': tagged,
  'node:claim:renew': claimed,
  'node:claim:release': claimed,
  'node:restore': nodeThen(['node:trash']),
  'node:delete': nodeThen(['node:trash']),
  'node:access:update': shared,
  'node:access:delete': shared,
  'node:access:list': shared,
  'node:showing': shared,
  'node:publish:update': nodeThen(['node:publish']),
  'node:unpublish': nodeThen(['node:publish']),
  'link:add': (stage) => pair(stage, 'apart'),
  'link:restore': linkThen('link:trash'),
  'link:delete': linkThen('link:trash'),
  'batch:run': node,
  'batch:undo': renamed,
  'batch:redo': async (stage) => make(stage.ann, 'batch:undo', { batchId: await renamed(stage) }),
  'trash:page': nodeThen(['node:trash']),
  'history:page': renamed,
  'changes:get': async (stage) => {
    const { body } = await stage.ann('graph:get', {});
    stage.names.set(EXAMPLE.position, body.position as string);
    await node(stage);
  },
};

/** Builds the graph on which an operation's example succeeds. */
export async function prepare(stage: Stage, event: EventName): Promise<void> {
  await (STAGES[event] ?? nodeThen())(stage);
}
