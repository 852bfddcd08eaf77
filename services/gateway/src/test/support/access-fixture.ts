// The fixture of a case of the access table: a node, its caller's access, and the entities that the
// case needs.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Body, Call } from './calls.ts';

/** How the caller has access to the node of a case. */
export const COLUMNS = [
  'owner',
  'admin',
  'editor',
  'viewer',
  'branch admin',
  'branch editor',
  'branch viewer',
  'tree owner',
  'expired',
  'stranger',
] as const;
export type Column = (typeof COLUMNS)[number];

export interface Person {
  readonly email: string;
  readonly call: Call;
}

/**
 * `owner` owns the node of a case; `caller` is the owner too in the first column. `guest` is
 * somebody else.
 */
export interface People {
  readonly owner: Person;
  readonly caller: Person;
  readonly guest: string;
  /** A time that is yet to come while a fixture is made, and over when its case is tried. */
  soon(): string;
}

/** The names that the payload of a case uses. Ids are empty where its steps make none. */
export interface Fixture {
  node: string;
  /** The node at the other end of the link, or that a link is to be made with. */
  other: string;
  link: string;
  /** The batch of the last step. */
  batch: string;
  readonly people: People;
}

/** Part of every title, so that a refusal that reveals one is detected (GEN7). */
export const SECRET = 'quite secret';

interface DiffEntry {
  op: number;
  after: { id?: string };
}

/** Attempts of a call on a busy machine. */
const MAXIMUM_TRIES = 5;
const RETRY_WAIT_MS = 200;

/** Makes a call that has to succeed, and gives its body. */
async function must({ call }: Person, event: string, payload: object): Promise<Body> {
  for (let attempt = 1; ; attempt++) {
    const { body, text } = await call(event, payload);
    if (body.ok) return body;
    if (body.error !== 'unavailable' || attempt === MAXIMUM_TRIES) {
      throw new Error(`${event} ${JSON.stringify(payload)}: ${text}`);
    }
    await sleep(RETRY_WAIT_MS * attempt);
  }
}

const diffOf = (body: Body) => body.diff as { batchId: string; nodes: DiffEntry[]; links: DiffEntry[] };

async function addNode(person: Person, fields: object = {}): Promise<string> {
  const { nodes } = diffOf(await must(person, 'node:add', { title: SECRET, ...fields }));
  return nodes.find(({ op }) => op === 0)?.after.id as string;
}

async function addLink(person: Person, source: string, target: string, fields: object = {}) {
  const { batchId, links } = diffOf(await must(person, 'link:add', { source, target, ...fields }));
  return { batch: batchId, link: links[0]?.after.id as string };
}

/** The owner receives no grant: owners have all rights. */
async function grant({ owner, caller }: People, id: string, terms: object): Promise<void> {
  if (owner !== caller) await must(owner, 'node:access', { id, email: caller.email, ...terms });
}

/** A node of the owner's, on which the caller has a level by a grant on it alone. */
async function granted(people: People, level: number): Promise<string> {
  const id = await addNode(people.owner);
  await grant(people, id, { level, branch: false });
  return id;
}

async function inBranch(people: People, level: number): Promise<string> {
  const parent = await addNode(people.owner);
  await grant(people, parent, { level });
  return addNode(people.owner, { target: parent });
}

/** The owner hangs their node under one of the caller's, and thereby shows it to them (ACL1). */
async function inTree({ owner, caller }: People): Promise<string> {
  const [root, id] = await Promise.all([addNode(caller), addNode(owner)]);
  await must(caller, 'node:access', { id: root, email: owner.email, level: 2, branch: false });
  await addLink(owner, id, root);
  return id;
}

const QUOTAS: Readonly<Record<Column, (people: People) => Promise<string>>> = {
  owner: ({ owner }) => addNode(owner),
  admin: (people) => granted(people, 1),
  editor: (people) => granted(people, 2),
  viewer: (people) => granted(people, 3),
  'branch admin': (people) => inBranch(people, 1),
  'branch editor': (people) => inBranch(people, 2),
  'branch viewer': (people) => inBranch(people, 3),
  'tree owner': inTree,
  expired: async (people) => {
    const id = await addNode(people.owner);
    await grant(people, id, { level: 1, branch: false, due: people.soon() });
    return id;
  },
  stranger: ({ owner }) => addNode(owner),
};

type FixtureParts = Partial<Pick<Fixture, 'other' | 'link' | 'batch'>>;

/** Does one call on the node, as its owner. */
const onNode =
  (event: string, payload: (people: People) => object = () => ({})) =>
  async ({ node, people }: Fixture): Promise<FixtureParts> => {
    const body = await must(people.owner, event, { id: node, ...payload(people) });
    return { batch: diffOf(body).batchId };
  };

const onLink =
  (event: string) =>
  async ({ link, people }: Fixture): Promise<FixtureParts> => {
    await must(people.owner, event, { id: link });
    return {};
  };

/** A link of the owner's from the node to another of theirs, on which the caller has the level. */
const linkOut =
  (level: number) =>
  async ({ node, people }: Fixture): Promise<FixtureParts> => {
    const other = await granted(people, level);
    return { other, ...(await addLink(people.owner, node, other)) };
  };

/** A link of the owner's to the node, from another of theirs that the caller can see. */
const linkIn =
  (fields: object) =>
  async ({ node, people }: Fixture): Promise<FixtureParts> => {
    const other = await granted(people, 3);
    return { other, ...(await addLink(people.owner, other, node, fields)) };
  };

/** The steps that may have happened before the call. */
const STEPS = {
  trash: onNode('node:trash'),
  rename: onNode('node:update', () => ({ title: `${SECRET}, renamed` })),
  'publish branch': onNode('node:publish'),
  'publish alone': onNode('node:publish', () => ({ branch: false })),
  'grant branch': onNode('node:access', ({ guest }) => ({ email: guest })),
  'grant alone': onNode('node:access', ({ guest }) => ({ email: guest, branch: false })),
  undo: async ({ batch, people }) => {
    await must(people.owner, 'batch:undo', { batchId: batch });
    return {};
  },
  /** The caller's own node. */
  'own node': async ({ people }) => ({ other: await addNode(people.caller) }),
  'link in': linkIn({}),
  'private link in': linkIn({ private: true, type: 1 }),
  'link out to a viewer': linkOut(3),
  'link out to an editor': linkOut(2),
  /** A link of the caller's, from the node to their own. */
  'own link out': async ({ node, people }) => {
    const other = await addNode(people.caller);
    return { other, ...(await addLink(people.caller, node, other)) };
  },
  'trash link': onLink('link:trash'),
} as const satisfies Record<string, (fixture: Fixture) => Promise<FixtureParts>>;
export type Step = keyof typeof STEPS;

export async function makeFixture(column: Column, steps: readonly Step[], people: People): Promise<Fixture> {
  const fixture: Fixture = { node: await QUOTAS[column](people), other: '', link: '', batch: '', people };
  for (const step of steps) Object.assign(fixture, await STEPS[step](fixture));
  return fixture;
}
