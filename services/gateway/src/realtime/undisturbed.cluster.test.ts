// Readers with lasting access receive every change, live and in order, while the access of others
// changes. A stack of two gateways and two workers.
import { setTimeout as sleep } from 'node:timers/promises';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { expect, test } from 'vitest';
import { type Body, call, type Listener, listenAt, WAIT } from '../test/support/listeners.ts';

/** Slices still under way after the last answer have arrived by then. */
const STRAGGLERS_MS = 1_000;
const VIEWERS = ['vic', 'val', 'vera', 'vito'];

const stack = sharedStack();
const { dial, dialAs } = listenAt(stack, ['ann', 'dora', 'eve', 'mia', ...VIEWERS]);

/**
 * A root with a child of ann's and one of dora's, who is an admin there: their commands are for
 * workers of their own.
 */
async function plant() {
  const [ann, dora] = [await dialAs('ann', 0), await dialAs('dora', 1)];
  const idOf = (body: Body, title: string) =>
    body.diff?.nodes.find(({ after }) => after.title === title)?.after.id as string;
  const root = idOf(await call(ann, 'node:add', { title: 'root' }), 'root');
  const child = idOf(await call(ann, 'node:add', { title: 'child', target: root }), 'child');
  await call(ann, 'node:access', { id: root, email: emailOf('dora'), level: 1 });
  const guest = idOf(await call(dora, 'node:add', { title: 'guest' }), 'guest');
  await call(dora, 'link:add', { source: guest, target: root });
  for (const name of VIEWERS) await call(ann, 'node:access', { id: root, email: emailOf(name) });
  const feed = `root:${root}`;
  const viewers = await Promise.all(VIEWERS.map((name, index) => dialAs(name, index % 2)));
  return { ann, dora, root, child, guest, feed, viewers };
}

const diffs = ({ events }: Listener, feed: string) =>
  events.filter(([event, body]) => event === 'graph:diff' && body.feed === feed).map(([, body]) => body);
const titles = (listener: Listener, feed: string) =>
  diffs(listener, feed).flatMap(({ nodes = [] }) => nodes.map(({ after }) => String(after.title)));
const headAtStart = ({ events }: Listener, feed: string) =>
  events.find(([event]) => event === 'connected')?.[1].feeds?.[feed] ?? 0;

/** Waits for the last change, and expects each number of the feed since the start, in order. */
async function hearAll(viewers: readonly Listener[], feed: string, last: string): Promise<void> {
  await Promise.all(viewers.map((viewer) => expect.poll(() => titles(viewer, feed), WAIT).toContain(last)));
  for (const viewer of viewers) {
    const heard = diffs(viewer, feed).map(({ seq }) => seq as number);
    const start = headAtStart(viewer, feed);
    expect(heard).toEqual(heard.map((_, index) => start + index + 1));
  }
}

test('[EVT4, ACL7] four viewers receive each change while another user is granted and revoked the branch twelve times', async () => {
  const { ann, dora, root, child, guest, feed, viewers } = await plant();
  const eve = await dialAs('eve', 1);
  for (let turn = 0; turn < 12; turn++) {
    await call(ann, 'node:access', { id: root, email: emailOf('eve') });
    await Promise.all([
      call(ann, 'node:update', { id: child, title: `in ${turn}` }),
      call(dora, 'node:update', { id: guest, title: `also in ${turn}` }),
    ]);
    await call(ann, 'node:access:delete', { id: root, email: emailOf('eve') });
    await Promise.all([
      call(ann, 'node:update', { id: child, title: `out ${turn}` }),
      call(dora, 'node:update', { id: guest, title: `also out ${turn}` }),
    ]);
  }
  await call(ann, 'node:update', { id: child, title: 'last' });
  await hearAll(viewers, feed, 'last');
  for (const viewer of viewers) expect(titles(viewer, feed).filter((title) => title.includes('out'))).toHaveLength(24);
  await sleep(STRAGGLERS_MS);
  expect(titles(eve, feed).filter((title) => /out|last/.test(title))).toEqual([]);
});

test('[EVT4, PUB5] a grantee receives the next change after an unpublishing, which closes anonymous sockets', async () => {
  const { ann, root, child, feed, viewers } = await plant();
  for (let turn = 0; turn < 3; turn++) {
    const published = await call(ann, 'node:publish', { id: root });
    const token = published.diff?.nodes[0]?.after.publicToken as string;
    const guest = await dial(turn % 2, { public_token: token });
    await call(ann, 'node:update', { id: child, title: `public ${turn}` });
    await expect.poll(() => titles(guest, feed), WAIT).toEqual([`public ${turn}`]);
    await call(ann, 'node:unpublish', { id: root });
    await call(ann, 'node:update', { id: child, title: `closed ${turn}` });
    await expect.poll(() => guest.closed, WAIT).toBe('io server disconnect');
    expect(titles(guest, feed)).toEqual([`public ${turn}`]);
    expect(guest.events.at(-1)).toEqual(['unpublished', { feed }]);
  }
  await hearAll(viewers, feed, 'closed 2');
});

test('[EVT4, ACL5, ACL6, ACL7] readers with lasting access receive every slice during many grants, ends, levels, hidings and publications', async () => {
  const { ann, dora, root, child, guest, feed, viewers } = await plant();
  const writing = { done: false };
  const write = async (by: Listener, id: string, name: string) => {
    for (let turn = 0; !writing.done; turn++) await call(by, 'node:update', { id, title: `${name} ${turn}` });
  };
  const writers = [write(ann, child, 'ann'), write(dora, guest, 'dora')];
  const [eve, mia] = [await dialAs('eve', 0), await dialAs('mia', 1)];
  const soon = () => new Date(Date.now() + 60_000).toISOString();
  const change = async (turn: number) => {
    const [email, who] = turn % 2 === 0 ? [emailOf('eve'), eve] : [emailOf('mia'), mia];
    await call(ann, 'node:access', { id: root, email, level: 2 });
    await call(ann, 'node:access:update', { id: root, email, level: 3, due: soon() });
    await call(who, 'node:showing', { id: root, showing: turn % 3 === 0 });
    // A keeper's own end comes nearer and goes away again, and so does their level.
    await call(ann, 'node:access:update', { id: root, email: emailOf('vic'), due: soon(), level: 2 });
    await call(ann, 'node:access:update', { id: root, email: emailOf('vic'), due: null, level: 3 });
    await Promise.all([
      call(ann, 'node:publish', { id: root }).then(() => call(ann, 'node:unpublish', { id: root })),
      call(ann, 'node:access:update', { id: root, email, branch: false }),
    ]);
    await call(ann, 'node:access:delete', { id: root, email });
  };
  for (let turn = 0; turn < 6; turn++) await change(turn);
  writing.done = true;
  await Promise.all(writers);
  for (const gone of [eve, mia]) gone.events.length = 0;
  await call(ann, 'node:update', { id: child, title: 'last' });
  await hearAll(viewers, feed, 'last');
  await sleep(STRAGGLERS_MS);
  for (const gone of [eve, mia]) expect(diffs(gone, feed)).toEqual([]);
});
