// The reads of docs/interface.md by REST and by socket: fields, sizes and bounds of pages; and
// REST's own features: health, readers without an account, DELETE with a query.
import { openDatabase } from '@taskgraph/graph-store/driver/database';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Body,
  queryOf,
  restCall,
  sendRest,
  TRANSPORTS,
  type TransportAnswer,
  type User,
  userOf,
  verdictOf,
} from './support/calls.ts';
import {
  CHANGES,
  diffOf,
  expectDeleted,
  expectShape,
  GRAPH_PAGE,
  HEALTH,
  HISTORY_PAGE,
  LINK,
  NODE,
  PUBLIC_NODE,
  PUBLIC_NODE_BELOW,
  PUBLIC_PAGE,
  REFUSAL,
  TRASH_PAGE,
} from './support/interface.ts';

const UNKNOWN = '01890000-0000-7123-8000-000000000002';
const [ANN, BOB] = [emailOf('ann'), emailOf('bob')] as const;

/** More than a default page of each: nodes with a link each, of which some are in the trash. */
const CHILDREN = 505;
const TRASHED = 102;

const stack = sharedStack();
let url: string;
let ann: User;
/** Has little. */
let bob: User;
/** Ann's node with all the children. */
let root: string;

beforeAll(async () => {
  url = stack.urls[0] as string;
  [ann, bob] = (await Promise.all(['ann', 'bob'].map((name) => userOf(stack, name)))) as [User, User];
  root = await addNode(ann);
  await repeat(CHILDREN, () => addNode(ann, { target: root }));
  await repeat(TRASHED, async () => ann.socket('node:trash', { id: await addNode(ann) }));
});
afterAll(async () => {
  for (const user of [ann, bob]) user?.connection.close();
});

/**
 * Repeats an action this number of times, with as many calls at once as one connection may have.
 */
async function repeat(times: number, make: () => Promise<unknown>): Promise<void> {
  for (let done = 0; done < times; done += 200) {
    await Promise.all(Array.from({ length: Math.min(200, times - done) }, make));
  }
}

const bodyOf = async (answer: Promise<TransportAnswer>): Promise<Body> => (await answer).body;
const codeOf = async (answer: Promise<TransportAnswer>) => verdictOf(await answer);
const idOf = (entry: { after: Record<string, unknown> } | undefined) => entry?.after.id as string;
const sizeOf = (body: Body) =>
  ['nodes', 'links', 'batches'].reduce((sum, name) => sum + ((body[name] as unknown[] | undefined)?.length ?? 0), 0);

/** Makes a node over the socket, and gives its id. */
async function addNode(user: User, fields: object = {}): Promise<string> {
  const { nodes } = diffOf(await bodyOf(user.socket('node:add', fields)));
  return idOf(nodes.find(({ op }) => op === 0));
}

describe.each(TRANSPORTS)('by %s', (way) => {
  const call = (event: string, payload: object = {}) => ann[way](event, payload);
  /** Every page with its required fields besides limit and offset. */
  const pages = (): [event: string, required: object, size: number, most: number][] => [
    ['graph:get', {}, 1000, 5000],
    ['branch:get', { root }, 1000, 5000],
    ['trash:page', {}, 100, 1000],
    ['history:page', { scopeType: 'GRAPH', scopeId: root }, 100, 1000],
  ];

  test('[WIRE6] pages have their default sizes if no limit is given', async () => {
    for (const [event, required, size] of pages()) {
      const page = await bodyOf(call(event, required));
      expect([event, page.ok, sizeOf(page), page.hasMore]).toEqual([event, true, size, true]);
    }
  });

  test('[WIRE6] limit and offset are bounded, and values out of range are refused', async () => {
    for (const [event, required, , most] of pages()) {
      expect([event, (await bodyOf(call(event, { ...required, limit: most }))).ok]).toEqual([event, true]);
      for (const outside of [{ limit: 0 }, { limit: most + 1 }, { limit: -1 }, { offset: -1 }]) {
        const answer = await call(event, { ...required, ...outside });
        const refused = [event, outside, verdictOf(answer)];
        expect(refused).toEqual([event, outside, 'bad_request.out_of_range']);
        expectShape(answer.body, { ...REFUSAL, details: (value) => JSON.stringify(value).includes('path') });
      }
      expect([event, await codeOf(call(event, { ...required, limit: 'many' }))]).toEqual([
        event,
        'bad_request.invalid_limit',
      ]);
      expect([event, await codeOf(call(event, { ...required, size: 1 }))]).toEqual([
        event,
        'bad_request.unknown_field',
      ]);
    }
  });

  test('[EVT3] pages by offset join without gap and overlap', async () => {
    for (const [event, required] of pages()) {
      const keys = async (limit: number, offset: number) => {
        const body = await bodyOf(call(event, { ...required, limit, offset }));
        const entries = [body.nodes, body.links, body.batches].flat() as (Record<string, unknown> | undefined)[];
        return entries.flatMap((entry) => (entry === undefined ? [] : [entry.id ?? entry.batchId]));
      };
      const [whole, ...parts] = [await keys(10, 3), await keys(4, 3), await keys(6, 7)];
      // A page of the trash mixes nodes and links, and lists them apart.
      expect([event, parts.flat().sort()]).toEqual([event, whole?.sort()]);
    }
  });

  test('[EVT1 EVT3 ACL8] the graph: nodes, then links; a branch of it alike', async () => {
    for (const [event, required] of [
      ['graph:get', {}],
      ['branch:get', { root }],
    ] as const) {
      const page = await bodyOf(call(event, { ...required, limit: 5000 }));
      expectShape(page, { ...GRAPH_PAGE, next: (value) => value === null });
      expect([page.hasMore, sizeOf(page) >= 2 * CHILDREN + 1]).toEqual([false, true]);
      const first = await bodyOf(call(event, { ...required, limit: 1 }));
      expect([first.hasMore, sizeOf(first), (first.nodes as Body[])[0]?.access]).toEqual([true, 1, 0]);
      const next = await bodyOf(call(event, { ...required, limit: 1, after: first.next }));
      expect((next.nodes as Body[])[0]?.id).toBe((page.nodes as Body[])[1]?.id);
    }
  });

  test('[TRS2 EVT3] the trash: exactly the fields of its entries', async () => {
    const target = await addNode(bob);
    const id = await addNode(bob, { target, title: 'trashed' });
    const { batchId } = diffOf(await bodyOf(bob[way]('node:trash', { id })));
    const page = await bodyOf(bob[way]('trash:page', {}));
    expectShape(page, TRASH_PAGE);
    const owner = { ownerUsername: 'bob', ownerEmail: BOB };
    const marks = { inTrash: true, lastBatchID: batchId, version: 2 };
    expect(page.nodes).toContainEqual(expect.objectContaining({ id, title: 'trashed', ...marks, ...owner }));
    expect(page.links).toContainEqual(expect.objectContaining({ source: id, target, type: 0, ...marks }));
  });

  test('[HIS1 HIS5 HIS7 HIS8] history: batches and their operations', async () => {
    const id = await addNode(bob, { title: 'old' });
    const { batchId, actor } = diffOf(await bodyOf(bob[way]('node:update', { id, title: 'new' })));
    const undo = await bodyOf(bob[way]('batch:undo', { batchId }));
    const page = await bodyOf(bob[way]('history:page', { scopeType: 'NODE', scopeId: id }));
    const [undoing, ...others] = page.batches as Body[];
    // A batch that undoes names the other one (HIS5).
    const { undoOf, ...plain } = undoing as Body;
    expectShape({ ...page, batches: [plain, ...others] }, HISTORY_PAGE);
    expect([undoOf, plain.batchId, others.map((batch) => batch.batchId)[0]]).toEqual([batchId, undo.batchId, batchId]);
    expect(others[0]).toMatchObject({ batchId, actor, undone: true });
    const patches = { forwardPatch: { Title: 'new' }, inversePatch: { Title: 'old' } };
    expect(others[0]?.ops).toMatchObject([{ id: 1, type: 1, entityId: id, guard: { Version: 1 }, ...patches }]);
    expect(await codeOf(bob[way]('history:page', { scopeType: 'GRAPH', scopeId: id }))).toBe(null);
    const invisible = { LINK: UNKNOWN, NOTHING: id, NODE: root, GRAPH: root, USER: id };
    for (const [scopeType, scopeId] of Object.entries(invisible)) {
      const code = await codeOf(bob[way]('history:page', { scopeType, scopeId }));
      expect([scopeType, code]).toEqual([scopeType, 'bad_request.invalid_scope']);
    }
  });

  test('[EVT2] changes:get returns the current state of entities that changed since a position', async () => {
    const [kept, gone] = [await addNode(bob), await addNode(bob)];
    const { position } = await bodyOf(bob[way]('graph:get', { limit: 1 }));
    await bob[way]('node:update', { id: kept, title: 'later' });
    await bob[way]('node:trash', { id: gone });
    const changes = await bodyOf(bob[way]('changes:get', { since: position }));
    expectShape(changes, CHANGES);
    expect(changes).toMatchObject({ hasMore: false, nodes: [{ id: kept, title: 'later' }], gone: { nodes: [gone] } });
    const payload = { since: position };
    const posted = await sendRest(`${url}/api/changes`, { method: 'POST', payload, token: bob.token });
    expect([verdictOf(posted), posted.body.nodes]).toEqual([null, changes.nodes]);
    expectShape(posted.body, CHANGES);
  });
});

test('[HISX1 HISX2] history is followed over both transports, and a query names several users and types', async () => {
  const id = await addNode(bob, { title: 'followed' });
  const { batchId, actor } = diffOf(await bodyOf(bob.REST('node:update', { id, status: 1 })));
  const filters = { actor: [(actor as { username: string }).username, 'nobody'], ops: [1, 2] };
  const query = { scopeType: 'NODE', scopeId: id, order: 'oldest', limit: 1, ...filters };
  const shown = (page: Body) => (page.batches as Body[]).map((batch) => batch.batchId);
  const first = await bodyOf(bob.socket('history:page', query));
  expectShape(first, HISTORY_PAGE);
  // It comes when every earlier batch is certain to be there.
  const follow = async () => shown(await bodyOf(bob.REST('history:page', { ...query, after: first.next })));
  await expect.poll(follow, { timeout: 120_000, interval: 3_000 }).toEqual([batchId]);
  const newest = await bodyOf(bob.REST('history:page', { ...query, order: 'newest' }));
  expect(shown(newest)).toEqual([batchId]);
  expect(await codeOf(ann.REST('history:page', { ...query, after: first.next }))).toBe('bad_request.invalid_after');
});

test('[HIS8] over a socket history needs its scope; over REST the default is everything visible', async () => {
  expect(await codeOf(bob.socket('history:page', {}))).toBe('bad_request.missing_scopeType');
  expect(await codeOf(bob.socket('history:page', { scopeType: 'NODE' }))).toBe('bad_request.missing_scopeId');
  await addNode(bob);
  const all = await bodyOf(bob.REST('history:page', {}));
  expect([all.ok, sizeOf(all) > 0]).toEqual([true, true]);
  expect(await codeOf(bob.REST('history:page', { scopeType: 'USER' }))).toBe(null);
});

test('[GEN8] over REST a header marks an answer that is given again', async () => {
  const token = await stack.token(BOB);
  const id = await addNode(bob);
  const send = async (path: string, key: string, body: object) => {
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key };
    const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const { trace_id: _trace, ...answer } = (await response.json()) as Body;
    return { status: response.status, replayed: response.headers.get('Idempotency-Replayed'), answer };
  };
  // A grant changes access, so its reply takes another way through the gateway.
  for (const [path, body] of [
    ['/api/node', { title: 'once' }],
    ['/api/node/access', { id, email: ANN }],
  ] as const) {
    const first = await send(path, `once ${path}`, body);
    expect(first).toMatchObject({ status: 200, replayed: null });
    expect(await send(path, `once ${path}`, body)).toEqual({ ...first, replayed: 'true' });
    expect(await send(path, `another ${path}`, body)).toMatchObject({ status: 200, replayed: null });
    expect(await send(path, `once ${path}`, { ...body, id: UNKNOWN })).toMatchObject({ replayed: null });
  }
  // A refusal is not stored: the service decides the call again.
  for (let turn = 0; turn < 2; turn++) {
    const refused = await send('/api/node/trash', 'refused', { id: UNKNOWN });
    expect(refused).toMatchObject({ status: 404, replayed: null });
  }
});

test('[WIRE3] only health needs no token', async () => {
  const health = await fetch(`${url}/api/health`);
  expect(health.status).toBe(200);
  expectShape(await health.json(), HEALTH);
  for (const event of ['graph:get', 'trash:page', 'history:page', 'node:add', 'batch:undo', 'node:delete']) {
    const answer = await restCall(url)(event, {});
    expect([event, verdictOf(answer)]).toEqual([event, 'unauthorized']);
    expectShape(answer.body, REFUSAL);
  }
});

test('[PUB3 PUB4] anyone reads a published node by its token, until the publication ends', async () => {
  const id = await addNode(bob, { title: 'public', assignee: [BOB] });
  await addNode(bob, { target: id, title: 'below' });
  const published = diffOf(await bodyOf(bob.REST('node:publish', { id })));
  const token = published.nodes[0]?.after.publicToken;
  const anybody = restCall(url);
  const page = await anybody('branch:get', { root: token });
  expectShape(page.body, PUBLIC_PAGE);
  const [top, below] = page.body.nodes as Body[];
  expectShape(top, { ...PUBLIC_NODE, publicToken: (value) => value === token });
  // The token that was presented is shown with its own node alone (PUB4).
  expectShape(below, PUBLIC_NODE_BELOW);
  expect((page.body.nodes as Body[]).map(({ title }) => title).sort()).toEqual(['below', 'public']);
  expect(page.text).not.toMatch(/example\.com|bob/);
  expect(await codeOf(anybody('branch:get', { root: id }))).toBe('not_found');
  expect(await codeOf(anybody('branch:get', { root: token, limit: 5001 }))).toBe('bad_request.out_of_range');
  await bob.REST('node:unpublish', { id });
  expect(await codeOf(anybody('branch:get', { root: token }))).toBe('not_found');
  expect(await codeOf(ann.socket('branch:get', { root: token }))).toBe('not_found');
});

describe('[GEN11 EVT2 EVT3] nodes of 80 KB in a shared branch are read and caught up with', () => {
  /**
   * Five times as many bytes as characters, on average: what is escaped takes six, what needs two
   * of them four together.
   */
  const DESCRIPTION = '\u0001'.repeat(10_000) + '😀'.repeat(5_000);
  /**
   * Four pages by REST and 27 over a socket; at night more than one message of the bus may hold.
   */
  const HEAVY = process.env.MANY_NODES === undefined ? 200 : 900;
  const readers: Record<string, { user: User; since: unknown }> = {};
  let top: string;
  let expected: string[];

  beforeAll(async () => {
    for (const name of ['owner', 'guest']) {
      const user = await userOf(stack, name);
      readers[name] = { user, since: (await bodyOf(user.socket('graph:get', { limit: 1 }))).position };
    }
    const [owner, guest] = [readers.owner?.user, readers.guest?.user] as [User, User];
    top = await addNode(owner);
    expected = [top];
    await repeat(HEAVY - 1, async () => expected.push(await addNode(owner, { target: top })));
    expected.sort();
    await owner.socket('node:access', { id: top, email: guest.email });
    const { NEO4J_URL: neo4jUrl = '', NEO4J_USER: name = 'neo4j', NEO4J_PASSWORD: password = '' } = stack.environment;
    const database = openDatabase({ url: neo4jUrl, user: name, password });
    for (let from = 0; from < HEAVY; from += 300) {
      const ids = expected.slice(from, from + 300);
      await database.write('UNWIND $ids AS id MATCH (n:Node {id: id}) SET n.description = $text', {
        ids,
        text: DESCRIPTION,
      });
    }
    await database.close();
  });
  afterAll(() => {
    for (const { user } of Object.values(readers)) user.connection.close();
  });

  test.each([
    ['owner', 'graph:get', 'REST'],
    ['guest', 'graph:get', 'socket'],
    ['owner', 'changes:get', 'socket'],
    ['guest', 'changes:get', 'REST'],
  ] as const)(
    'by the %s, %s by %s: every page arrives within its size, and each entity once',
    async (who, event, by) => {
      const { user, since } = readers[who] as { user: User; since: unknown };
      const [nodes, links] = [[] as string[], [] as string[]];
      for (let more: object | null = {}; more !== null; ) {
        const payload: object = event === 'graph:get' ? more : { since, ...more };
        const { body, text } = await user[by](event, payload);
        expect([event, body.error]).toEqual([event, undefined]);
        expect(Buffer.byteLength(text)).toBeLessThan((by === 'REST' ? 4.2 : 0.6) * 1024 * 1024);
        for (const node of body.nodes as Body[]) {
          expect(node.description === DESCRIPTION).toBe(true);
          nodes.push(node.id as string);
        }
        links.push(...(body.links as Body[]).map(({ id }) => id as string));
        more = !body.hasMore ? null : event === 'graph:get' ? { after: body.next } : { cursor: body.next };
      }
      expect(nodes).toEqual(expected);
      expect(new Set(links).size).toBe(HEAVY - 1);
      expect(links).toHaveLength(HEAVY - 1);
    },
  );
});

test('[GEN5] DELETE takes its fields in the body, and in the query as well', async () => {
  const remove = async (path: string, fields: object) => {
    const headers = { Authorization: `Bearer ${bob.token}` };
    const response = await fetch(`${url}${path}?${queryOf(fields)}`, { method: 'DELETE', headers });
    return diffOf((await response.json()) as Body);
  };
  const [source, target] = [await addNode(bob), await addNode(bob)];
  const id = idOf(diffOf(await bodyOf(bob.REST('link:add', { source, target }))).links[0]);
  await bob.REST('link:trash', { id });
  expectDeleted((await remove('/api/link', { id, version: 2 })).links[0], LINK);
  await bob.REST('node:publish', { id: source });
  expect((await remove('/api/node/public', { id: source })).nodes).toMatchObject([{ op: 6 }]);
  await bob.REST('node:access', { id: source, email: ann.email });
  expect((await remove('/api/node/access', { id: source, email: ann.email })).access).toMatchObject([{ op: 22 }]);
  for (const each of [source, target]) await bob.REST('node:trash', { id: each });
  expectDeleted((await remove('/api/node', { id: source })).nodes[0], NODE);
  expectDeleted(diffOf(await bodyOf(bob.REST('node:delete', { id: target }))).nodes[0], NODE);
});

describe('a page of the graph over REST', () => {
  const get = (headers: Record<string, string>) =>
    fetch(`${url}/api/graph?limit=3`, { headers: { Authorization: `Bearer ${bob.token}`, ...headers } });

  test('[EVT3] is not sent again to a client that has it, until it changes', async () => {
    await addNode(bob);
    const first = await get({});
    const etag = first.headers.get('etag') as string;
    const { trace_id: _one, ...page } = (await first.json()) as Body;
    for (let times = 0; times < 3; times++) {
      const again = await get({ 'If-None-Match': `"other", ${etag}` });
      expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, '']);
    }
    const { trace_id: _other, ...whole } = (await (await get({ 'If-None-Match': '"other"' })).json()) as Body;
    expect(whole).toEqual(page);
    await addNode(bob);
    const later = await get({ 'If-None-Match': etag });
    expect([later.status, later.headers.get('etag') === etag]).toEqual([200, false]);
  });
});
