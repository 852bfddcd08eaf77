// Compares pages from a worker's cache with fresh reads of the same pages. Both must be equal after
// every step.
import type { ModelState, ModelUser } from '@taskgraph/reference-model/state';
import { expect } from 'vitest';
import type { TestWorker } from '../support/harness.ts';

interface Glance {
  readonly worker: TestWorker;
  readonly users: readonly ModelUser[];
  readonly state: ModelState;
  readonly tokens: readonly string[];
  /** The number of the step. It chooses the read and its reader. */
  readonly step: number;
}

type Question = readonly [reader: ModelUser | null, event: string, payload: object];

/**
 * This many consecutive steps compare the same pages, so that a page cached before a step is read
 * after it.
 */
const STEPS_EACH = 4;
/** Nodes that are read one by one. */
const MOST_NODES = 12;
/** Compared pages of one walk. */
const MAXIMUM_PAGES = 4;

/**
 * Every second step compares the graphs of all readers. The other steps compare pages of one
 * reader: small pages of the graph, of branches or of a publication, or nodes with their links.
 */
export async function compareKeptPages(glance: Glance): Promise<void> {
  for (const question of questionsOf(glance)) await compareWalk(glance.worker, question);
}

function questionsOf({ users, state, tokens, step }: Glance): Question[] {
  if (step % 2 === 0) return users.map((reader) => [reader, 'graph:get', {}]);
  const turn = Math.floor(step / STEPS_EACH);
  const reader = users[turn % users.length] as ModelUser;
  const kind = Math.floor(turn / users.length) % 4;
  if (kind === 0) return [[reader, 'graph:get', { limit: 3 }]];
  if (kind === 1) {
    const granted = state.grants.filter(({ email }) => email === reader.email).map(({ nodeId }) => nodeId);
    return granted.slice(-2).map((root) => [reader, 'branch:get', { root }]);
  }
  if (kind === 2) {
    const ids = state.nodes.slice(0, MOST_NODES).map(({ id }) => id);
    return ids.map((id) => [reader, 'node:get', { id, links: true }]);
  }
  return tokens.slice(-1).flatMap((root) => [reader, null].map((one) => [one, 'branch:get', { root }] as const));
}

async function compareWalk(worker: TestWorker, [reader, event, payload]: Question): Promise<void> {
  let after: unknown = null;
  for (let page = 0; page < MAXIMUM_PAGES; page++) {
    const asked = { ...payload, ...(after === null ? {} : { after }) };
    const given = await worker.ask(reader, event, asked);
    // A page is cached from its second read on, when its owners are known.
    const again = await worker.ask(reader, event, asked);
    const anew = await worker.askAnew(reader, event, asked);
    const told = { reader: reader?.username ?? 'anonymous', what: event, asked };
    expect({ ...told, given, again }).toEqual({ ...told, given: anew, again: anew });
    after = anew.ok ? (anew.body.next ?? null) : null;
    if (after === null) return;
  }
}
