// The setup of the leak tests: a branch that eve reads, and hidden neighbours of it.
import type { RunningStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { type Body, type User, userOf } from './calls.ts';

/** Part of every hidden node's title, and of no other text. */
export const UNSEEN = 'unseen';

interface DiffEntry {
  op: number;
  before: Body;
  after: Body;
}
export interface Diff {
  batchId: string;
  nodes: DiffEntry[];
  links: DiffEntry[];
  skipped?: string[];
}

export interface Scene {
  readonly users: Readonly<Record<string, User>>;
  /** Nodes and links by their names. */
  readonly ids: Readonly<Record<string, string>>;
  /** Names of entities hidden from eve, by id. */
  readonly hidden: ReadonlyMap<string, string>;
  /** Makes a call that must succeed, and returns its diff. */
  must(by: string, event: string, payload: object): Promise<Diff>;
  /** Links two nodes by their names; the link is hidden. */
  hide(by: string, source: string, target: string, fields?: object): Promise<void>;
}

/**
 * Ann owns the branch and hidden nodes around it, and Ben owns other nodes. Carl edits some nodes
 * of each, so his links do not propagate (ACL3).
 */
export async function plantScene(stack: RunningStack, hear: (event: string, body: unknown) => void): Promise<Scene> {
  const names = ['ann', 'ben', 'carl', 'eve'];
  const made = await Promise.all(names.map((name) => userOf(stack, name)));
  made[3]?.connection.onAny(hear);
  const scene = emptyScene(Object.fromEntries(names.map((name, index) => [name, made[index] as User])));
  const { add, hide, grant, link } = scene;
  await add('root', 'ann', null);
  for (const name of ['a', 'z', 'd', 'k', 'v', 'm']) await add(name, 'ann', 'root');
  await add('b', 'ann', 'a');
  for (const name of ['above', 'h1', 'h2', 'h3']) await add(name, 'ann', 'hidden');
  for (const name of ['x1', 'x2']) await add(name, 'ben', 'hidden');
  await grant('ann', 'root', 'eve', { level: 2, branch: true });
  await grant('ann', 'a', 'ben', { level: 2 });
  for (const name of ['a', 'z', 'k', 'v', 'h1', 'h2', 'h3']) await grant('ann', name, 'carl', { level: 2 });
  await grant('ben', 'x2', 'carl', { level: 2 });
  // A branch root above, which others read.
  await hide('ann', 'root', 'above');
  await grant('ann', 'above', 'ben', { level: 3, branch: true });
  // Blockers of a: one by a private link, one by a link whose source eve can't see.
  await hide('ben', 'x1', 'a', { private: true });
  await hide('carl', 'x2', 'a');
  // A way from a to z, over a node that eve can't see.
  await hide('ann', 'a', 'h1');
  await hide('carl', 'h1', 'z');
  // The nodes that d blocks, and the blockers of v.
  await link('ann', 'k', 'd');
  await hide('ann', 'd', 'h2');
  await hide('carl', 'h3', 'v');
  // Another user's private link between two nodes that eve sees.
  await hide('ann', 'b', 'root', { private: true, type: 1 });
  return scene;
}

function emptyScene(users: Readonly<Record<string, User>>) {
  const ids: Record<string, string> = {};
  const hidden = new Map<string, string>();

  async function must(by: string, event: string, payload: object): Promise<Diff> {
    const { body, text } = await (users[by] as User).REST(event, payload);
    if (!body.ok) throw new Error(`${by}: ${event} ${JSON.stringify(payload)}: ${text}`);
    return body.diff as Diff;
  }
  async function link(by: string, source: string, target: string, fields: object = {}): Promise<string> {
    const { links } = await must(by, 'link:add', { source: ids[source], target: ids[target], ...fields });
    const id = String(links[0]?.after.id);
    ids[`${source}>${target}`] = id;
    return id;
  }
  return {
    users,
    ids,
    hidden,
    must,
    link,
    async hide(by: string, source: string, target: string, fields: object = {}) {
      hidden.set(await link(by, source, target, fields), `${source}>${target}`);
    },
    /** Creates a node below the parent, without one, or hidden. */
    async add(name: string, by: string, parent: string | null) {
      const title = parent === 'hidden' ? `${UNSEEN} ${name}` : name;
      const target = parent === null ? undefined : ids[parent];
      const { nodes } = await must(by, 'node:add', target === undefined ? { title } : { title, target });
      const id = String(nodes.find(({ op }) => op === 0)?.after.id);
      ids[name] = id;
      if (parent === 'hidden') hidden.set(id, name);
    },
    grant: (by: string, node: string, to: string, fields: object) =>
      must(by, 'node:access', { id: ids[node], email: emailOf(to), branch: false, ...fields }),
  };
}
