// The slices that each reader receives from a running stack of two gateways: grants and their ends,
// hidden grants, and readers without an account.
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { expect, test } from 'vitest';
import { call, type Listener, listenAt, WAIT } from '../test/support/listeners.ts';

/** Long enough for slices that are in flight after the last answer. */
const STRAGGLERS_MS = 500;

const stack = sharedStack();
const { dial, dialAs } = listenAt(stack, ['ann', 'bob', 'carol']);

/** Creates a parent with one child, and returns their ids. */
async function plant(owner: Listener): Promise<{ root: string; child: string }> {
  const added = await call(owner, 'node:add', { title: 'root' });
  const root = added.diff?.nodes[0]?.after.id as string;
  const grown = await call(owner, 'node:add', { title: 'child', target: root });
  const child = grown.diff?.nodes.find(({ after }) => after.title === 'child')?.after.id as string;
  return { root, child };
}

const eventsOf = ({ events }: Listener, name: string) =>
  events.filter(([event]) => event === name).map(([, body]) => body);
const titles = (listener: Listener) =>
  eventsOf(listener, 'graph:diff').flatMap(({ nodes = [] }) => nodes.map(({ after }) => after.title));
const access = (listener: Listener, feed: string) =>
  eventsOf(listener, 'access:changed').filter((body) => body.feed === feed);
const sees = (listener: Listener, title: string) => expect.poll(() => titles(listener), WAIT).toContain(title);
/** A subscribed socket receives the head of its feed. */
const joins = (listener: Listener, feed: string) =>
  expect.poll(() => eventsOf(listener, 'feeds:heads').some(({ feeds = {} }) => feed in feeds), WAIT).toBe(true);

/**
 * Waits until the slices of all earlier commits have arrived: it makes a change in the listener's
 * own feed and waits for its slice.
 */
async function fence(listener: Listener): Promise<void> {
  const title = `fence ${Math.random()}`;
  await call(listener, 'node:add', { title });
  await sees(listener, title);
  await sleep(STRAGGLERS_MS);
}

test('[ACL7, EVT2] a connected grantee receives a granted node, and nothing committed after the revocation', async () => {
  const [ann, bob, carol] = [await dialAs('ann', 0), await dialAs('bob', 1), await dialAs('carol', 0)];
  const { root, child } = await plant(ann);
  const feed = `root:${root}`;
  for (const name of ['bob', 'carol']) await call(ann, 'node:access', { id: root, email: emailOf(name) });
  await Promise.all([joins(bob, feed), joins(carol, feed)]);
  await expect.poll(() => access(bob, feed), WAIT).toMatchObject([{ change: 'gained', level: 3 }]);
  const [gained] = access(bob, feed);
  // Numbered like a slice of the reader's own feed, which came before it.
  expect(eventsOf(bob, 'graph:diff')).toContainEqual(expect.objectContaining({ seq: gained?.seq }));
  await call(ann, 'node:update', { id: child, title: 'shared' });
  await Promise.all([sees(bob, 'shared'), sees(carol, 'shared')]);

  carol.events.length = 0;
  const racing = Array.from({ length: 20 }, (_, turn) =>
    call(ann, 'node:update', { id: child, title: `racing ${turn}` }),
  );
  await call(ann, 'node:access:delete', { id: root, email: emailOf('bob') });
  for (let turn = 0; turn < 20; turn++) await call(ann, 'node:update', { id: child, title: `after ${turn}` });
  await Promise.all(racing);
  await call(ann, 'node:update', { id: child, title: 'last' });
  await sees(carol, 'last');
  // She never left, so she received no heads.
  expect(titles(carol).filter((title) => /^(racing|after)/.test(String(title)))).toHaveLength(40);
  expect(eventsOf(carol, 'feeds:heads')).toEqual([]);
  await fence(bob);
  expect(titles(bob).filter((title) => /^(after|last)/.test(String(title)))).toEqual([]);
  expect(access(bob, feed).map(({ seq: _seq, ...body }) => body)).toEqual([
    { feed, change: 'gained', level: 3 },
    { feed, change: 'lost', level: null },
  ]);
  expect(Object.keys(eventsOf(await dialAs('bob', 1), 'connected')[0]?.feeds ?? {})).not.toContain(feed);
  expect(Object.keys(eventsOf(await dialAs('carol', 1), 'connected')[0]?.feeds ?? {})).toContain(feed);
});

test('[EVT1, EVT5] further sockets of a user start at the numbers of the first one, and miss nothing', async () => {
  const [ann, bob] = [await dialAs('ann', 0), await dialAs('bob', 1)];
  const { root, child } = await plant(ann);
  const feed = `root:${root}`;
  await call(ann, 'node:access', { id: root, email: emailOf('bob') });
  await joins(bob, feed);
  const edits = (async () => {
    for (let turn = 0; turn < 40; turn++) await call(ann, 'node:update', { id: child, title: `edit ${turn}` });
  })();
  const further: Listener[] = [];
  for (let turn = 0; turn < 10; turn++) further.push(await dialAs('bob', 1));
  await edits;
  await call(ann, 'node:update', { id: child, title: 'last' });
  await Promise.all([bob, ...further].map((each) => sees(each, 'last')));
  const numbersOf = (listener: Listener) =>
    eventsOf(listener, 'graph:diff').flatMap((body) => (body.feed === feed ? [body.seq as number] : []));
  const all = numbersOf(bob);
  for (const each of further) {
    const start = eventsOf(each, 'connected')[0]?.feeds?.[feed] ?? 0;
    expect(numbersOf(each)).toEqual(all.filter((seq) => seq > start));
  }
});

test('[ACL7] sockets that connect while the access of their user ends receive nothing committed after it', async () => {
  const [ann, bob] = [await dialAs('ann', 0), await dialAs('bob', 1)];
  const { root, child } = await plant(ann);
  const feed = `root:${root}`;
  await call(ann, 'node:access', { id: root, email: emailOf('bob') });
  await joins(bob, feed);
  // His feeds are cached from now on.
  await dialAs('bob', 1);
  const revoked = call(ann, 'node:access:delete', { id: root, email: emailOf('bob') });
  const racing = Promise.all(Array.from({ length: 10 }, () => dialAs('bob', 1)));
  await revoked;
  for (let turn = 0; turn < 5; turn++) await call(ann, 'node:update', { id: child, title: `after ${turn}` });
  const later = await dialAs('bob', 1);
  const sockets = [bob, later, ...(await racing)];
  await Promise.all(sockets.map(fence));
  for (const socket of sockets) expect(titles(socket).filter((title) => /^after/.test(String(title)))).toEqual([]);
  const next = await dialAs('bob', 1);
  expect(Object.keys(eventsOf(next, 'connected')[0]?.feeds ?? {})).not.toContain(feed);
});

test('[ACL5] a socket receives nothing after the end of its grant', async () => {
  const [ann, bob] = [await dialAs('ann', 0), await dialAs('bob', 1)];
  const { root, child } = await plant(ann);
  const end = Date.now() + 4_000;
  const due = new Date(end).toISOString();
  await call(ann, 'node:access', { id: root, email: emailOf('bob'), due });
  await joins(bob, `root:${root}`);
  await call(ann, 'node:update', { id: child, title: 'in time' });
  await sees(bob, 'in time');
  await sleep(end + 1_000 - Date.now());
  await call(ann, 'node:update', { id: child, title: 'too late' });
  await fence(bob);
  expect(titles(bob)).not.toContain('too late');
});

test('[ACL6] a grantee who hides a grant receives nothing of it until they show it again', async () => {
  const [ann, bob] = [await dialAs('ann', 0), await dialAs('bob', 1)];
  const { root, child } = await plant(ann);
  const feed = `root:${root}`;
  await call(ann, 'node:access', { id: root, email: emailOf('bob'), level: 2 });
  await joins(bob, feed);
  await call(bob, 'node:showing', { id: root, showing: false });
  await expect.poll(() => access(bob, feed).at(-1), WAIT).toMatchObject({ change: 'lost' });
  await fence(bob);
  await call(ann, 'node:update', { id: child, title: 'hidden' });
  await fence(bob);
  expect(titles(bob)).not.toContain('hidden');
  bob.events.length = 0;
  await call(bob, 'node:showing', { id: root, showing: true });
  await joins(bob, feed);
  await expect.poll(() => access(bob, feed), WAIT).toMatchObject([{ change: 'gained', level: 2 }]);
  await call(ann, 'node:update', { id: child, title: 'shown again' });
  await sees(bob, 'shown again');
});

test('[PUB3, PUB4, PUB5] an anonymous socket reads published nodes, without private fields, until the publication ends', async () => {
  const ann = await dialAs('ann', 0);
  const { root, child } = await plant(ann);
  const published = await call(ann, 'node:publish', { id: root });
  const token = published.diff?.nodes[0]?.after.publicToken as string;
  const guest = await dial(1, { public_token: token });
  expect(eventsOf(guest, 'connected')).toMatchObject([
    { uid: null, client: 'public', feeds: { [`root:${root}`]: expect.any(Number) } },
  ]);

  await call(ann, 'node:update', { id: child, title: 'public', assignee: [emailOf('bob')] });
  await sees(guest, 'public');
  const page = await call(guest, 'branch:get', {});
  expect(JSON.stringify([guest.events, page])).not.toMatch(/example\.com|"actor"|"ownerUsername"|"lastBatchID"/);
  expect(page.nodes).toHaveLength(2);
  expect(await guest.socket.timeout(20_000).emitWithAck('node:add', {})).toMatchObject({
    ok: false,
    error: 'forbidden',
  });
  await expect(dial(0, { public_token: `${token}x` })).rejects.toMatchObject({ message: 'not_found' });

  const read = (headers: Record<string, string> = {}) =>
    fetch(`${stack.urls[0]}/api/branch?root=${encodeURIComponent(token)}`, { headers }).then(({ status }) => status);
  expect([await read(), await read({ Authorization: 'Bearer wrong' })]).toEqual([200, 401]);

  await call(ann, 'node:unpublish', { id: root });
  await expect.poll(() => guest.closed, WAIT).toBe('io server disconnect');
  expect(guest.events.at(-1)).toEqual(['unpublished', { feed: `root:${root}` }]);
  expect(await read()).toBe(404);
  await expect(dial(1, { public_token: token })).rejects.toMatchObject({ message: 'not_found' });
});

test('[PUB6, EVT4] anonymous readers at both gateways receive slices past a postponed end, without a hole', async () => {
  const ann = await dialAs('ann', 0);
  const end = Date.now() + 6_000;
  // Many ends, one after another: a reader who is briefly removed at one of them would miss the
  // changes of that moment.
  const roots = Array.from({ length: 16 }, (_, index) => ({ as: `r${index}`, due: end + index * 100 }));
  const inOne = (operations: object[]) => call(ann, 'batch:run', { operations });
  const made = await inOne(
    roots.flatMap(({ as, due }) => [
      { event: 'node:add', payload: {}, as },
      { event: 'node:publish', payload: { id: `$${as}`, due: new Date(due).toISOString() } },
    ]),
  );
  const published = (made.diff?.nodes ?? []).flatMap(({ after: { id, publicToken } }) =>
    typeof publicToken === 'string' ? [{ id: id as string, token: publicToken }] : [],
  );
  expect(published).toHaveLength(roots.length);
  const listen = () => Promise.all(published.map(({ token }, index) => dial(index % 2, { public_token: token })));
  const early = await listen();
  await inOne(published.map(({ id }) => ({ event: 'node:publish:update', payload: { id, due: null } })));
  const late = await listen();
  const write = (title: string) => inOne(published.map(({ id }) => ({ event: 'node:update', payload: { id, title } })));
  const writeOn = async () => {
    while (Date.now() < end + 1_700) await write(`title ${Math.random()}`);
  };
  await Promise.all(Array.from({ length: 4 }, writeOn));
  await write('last');
  for (const guest of [...early, ...late]) {
    await sees(guest, 'last');
    const heard = eventsOf(guest, 'graph:diff').map(({ seq }) => seq as number);
    const [head] = Object.values(eventsOf(guest, 'connected')[0]?.feeds ?? {});
    expect(heard).toEqual(heard.map((_, index) => (head as number) + index + 1));
    expect(eventsOf(guest, 'unpublished')).toEqual([]);
  }
});

test('[PUB5] a user with access receives the end of a publication, and further slices', async () => {
  const [ann, bob] = [await dialAs('ann', 0), await dialAs('bob', 1)];
  const { root, child } = await plant(ann);
  await call(ann, 'node:access', { id: root, email: emailOf('bob'), level: 3 });
  await joins(bob, `root:${root}`);
  await call(ann, 'node:publish', { id: root });
  await call(ann, 'node:unpublish', { id: root });
  // The epoch rose with the end, which removes no reader with an account.
  await call(ann, 'node:update', { id: child, title: 'still' });
  await sees(bob, 'still');
});
