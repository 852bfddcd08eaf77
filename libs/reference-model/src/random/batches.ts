// Random batches: operations that are drawn one after another, each on the model's state after the
// earlier ones. They use each other's nodes and links by name.
import type { Operation } from '../batch-operations.ts';
import { OPERATION_EVENTS, runCommand } from '../run.ts';
import type { ModelState } from '../state.ts';
import type { DrawContext, DrawnCommand, Step } from './step.ts';

/** The kinds of later steps. Those that give or end access are more frequent than elsewhere. */
const WEIGHTED: readonly string[] = [
  'node:add',
  'node:add',
  'node:update',
  'node:status',
  'node:status',
  'node:trash',
  'node:restore',
  'node:delete',
  'link:add',
  'link:add',
  'link:add',
  'link:update',
  'link:swap',
  'link:trash',
  'link:restore',
  'link:delete',
  'node:access',
  'node:access',
  'node:access:update',
  'node:access:delete',
  'node:showing',
  'node:publish',
  'node:publish:update',
  'node:unpublish',
  'blocker',
  'blocked',
  'between',
  'copy',
  'uncopy',
  'detour',
];
const KINDS = [...WEIGHTED, ...OPERATION_EVENTS.filter((event) => !WEIGHTED.includes(event))];

type Request = Pick<DrawnCommand, 'event' | 'payload'>;

/**
 * A batch that begins with a command, by the numbers of its step. `more` draws another operation.
 */
export function composed(
  first: DrawnCommand,
  step: Step,
  drawing: DrawContext,
  more: (step: Step, state: ModelState) => Request,
): DrawnCommand {
  const operations: Operation[] = [];
  const names = new Map<string, string>();
  let { state } = drawing;
  for (let at = 0; at < 2 + (step.b % 6); at++) {
    const request = at === 0 ? first : more(stepAt(step, at), state);
    const { actor } = first;
    const [node, link] = [`made node ${at}`, `made link ${at}`];
    const moment = { now: drawing.now, batchId: 'a batch', nodeId: node, linkId: link, publicToken: `a token ${at}` };
    const ran = runCommand(state, { actor, ...request, key: null }, moment);
    // Sometimes an operation stays that refuses the whole batch.
    if (!ran.answer.ok && (at > 0 || step.a % 4 > 0) && (step.a + at) % 24 > 0) continue;
    const isNamed = request.event === 'node:add' || request.event === 'link:add';
    const as = isNamed ? { as: nameAt(operations.length, step) } : {};
    operations.push({ event: request.event, payload: withNames(request.payload, names), ...as });
    if (as.as !== undefined) names.set(request.event === 'node:add' ? node : link, `$${as.as}`);
    if (as.as !== undefined && request.event === 'node:add') names.set(link, `$${as.as}.link`);
    state = ran.state;
  }
  if (operations.length === 0) return first;
  return { ...first, event: 'batch:run', payload: { operations } };
}

const NAMES = ['n', '__proto__', 'constructor', 'n-'];

/** Names of properties that every object has and, rarely, an existing name. */
function nameAt(at: number, { a }: Step): string {
  return a % 40 === 0 ? `n` : `${NAMES[at % NAMES.length]}${at < NAMES.length ? '' : at}`;
}

/** Every second step has the numbers of the first, so that both meet on the same entities. */
function stepAt(step: Step, at: number): Step {
  const mixed = (number: number) => (at % 2 === 0 ? number : (number * 31 + at * 977) % 10_000);
  const kind = KINDS[(step.a * 7 + step.b * 3 + at * 11) % KINDS.length] as string;
  return { ...step, kind, a: mixed(step.a), b: mixed(step.b), c: (step.c * 13 + at * 101) % 10_000 };
}

function withNames(payload: Readonly<Record<string, unknown>>, names: ReadonlyMap<string, string>) {
  const entries = Object.entries(payload).map(([field, value]) => [field, names.get(String(value)) ?? value]);
  return Object.fromEntries(entries) as Record<string, unknown>;
}
