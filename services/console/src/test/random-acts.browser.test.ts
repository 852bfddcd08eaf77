// Random acts of two readers in their pages, against the reference model. `MODEL_SEED=7` begins with
// another seed.
import type { TaskgraphClient } from '@taskgraph/client';
import type { ModelUser } from '@taskgraph/reference-model/state';
import { runs } from '@taskgraph/testkit/runs';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { type ConsoleUser, openAs, test } from './support/console-fixture.ts';
import { createModelWorld, storedPlanOf } from './support/model-world.ts';
import { actAtRandom, planIn, type ReaderWindow, rowsOn, watchMessages } from './support/outline-acts.ts';

const [one = '', two = ''] = sharedStack().urls;
const ACTS = runs(40);
const SEED = Number(process.env.MODEL_SEED ?? 1);
const EDITOR = 2;
/** High enough that all rows are elements of the page. */
const VIEWPORT = { width: 1_280, height: 2_400 };
/** Of four acts, the second reader makes one. */
const READERS = [0, 0, 0, 1] as const;

test(`[CON8 CON9 CON10 CON11 BLK2 LNK4 TRS3 HIS2] ${ACTS} random acts of seed ${SEED} show in both pages as in the reference model`, async ({
  openConsole,
  newUser,
}) => {
  const [ann, bob] = [await newUser('ann'), await newUser('bob')];
  const users = [ann, bob].map(({ email }): ModelUser => ({ id: email, username: email.replace(/@.*/, ''), email }));
  const world = createModelWorld(users);
  const random = numbersOf(SEED);
  let titles = 0;
  const newTitle = () => `Step ${String(titles++).padStart(4, '0')}`;

  const [goal, shared] = [newTitle(), { email: bob.email, level: EDITOR, branch: true }];
  await ann.client.call('node:access', { id: await ann.add(goal), ...shared });
  const [owner] = users as [ModelUser];
  world.send(owner, 'node:add', { title: goal });
  world.send(owner, 'node:access', { id: world.idOf(goal), ...shared });

  const windows: ReaderWindow[] = [];
  for (const [place, user] of users.entries()) {
    const { page } = await openAs(openConsole, { url: [one, two][place] ?? '', email: user.email, path: '/outline' });
    await page.setViewportSize(VIEWPORT);
    await page.getByRole('treegrid').waitFor();
    await watchMessages(page);
    windows.push({ user, page });
  }
  const log = [`seed ${SEED}`];
  const agree = async () => {
    const message = () => log.join('; ');
    for (const { user, page } of windows) {
      const shown = async () => planIn(await rowsOn(page));
      await expect.poll(shown, { message: `${message()}: the page of ${user.username}` }).toEqual(world.shownTo(user));
    }
    for (const [place, user] of users.entries()) {
      const { client } = [ann, bob][place] as ConsoleUser;
      expect(await storedPlan(client), `${message()}: the service for ${user.username}`).toEqual(world.storedFor(user));
    }
  };
  await agree();
  for (let act = 1; act <= ACTS; act++) {
    const window = windows[READERS[random(READERS.length)] ?? 0] as ReaderWindow;
    const rows = await rowsOn(window.page);
    log.push(await actAtRandom({ ...window, world, goal, rows, random, newTitle }));
    await agree();
  }
});

async function storedPlan(client: TaskgraphClient) {
  const pages = [];
  for await (const page of client.graph.pages()) pages.push(page);
  return storedPlanOf({ nodes: pages.flatMap(({ nodes }) => nodes), links: pages.flatMap(({ links }) => links) });
}

/** Random whole numbers below a bound, the same ones for a seed (xorshift). */
function numbersOf(seed: number): (below: number) => number {
  let state = (seed * 2_654_435_761) | 1;
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return below === 0 ? 0 : (state >>> 0) % below;
  };
}
