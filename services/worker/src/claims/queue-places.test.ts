// The places of queues: their bounds, turns of users, and waits that end.
import { expect, test } from 'vitest';
import { QueuePlaces } from './queue-places.ts';

function createPlaces(most = 3, mostOfUser = 2) {
  const clock = { ms: 0 };
  const places = new QueuePlaces<string>({ most, mostOfUser, nowMs: () => clock.ms });
  const order: string[] = [];
  const take = (user: string, name: string) => {
    const key = `${user} ${name}`;
    const ticket = places.take({ key, user, create: () => key });
    void ticket.place.then(({ queue }) => order.push(queue));
    return ticket;
  };
  return { clock, take, order };
}
const settled = () => new Promise(setImmediate);

test('[CLAIM1] claims of one queue share a place, and a further queue of a user waits for one', async () => {
  const { take, order } = createPlaces();
  const [first, again, second] = [take('ann', 'a'), take('ann', 'a'), take('ann', 'b')];
  const third = take('ann', 'c');
  const other = take('bob', 'a');
  await settled();
  expect(order).toEqual(['ann a', 'ann a', 'ann b', 'bob a']);
  first.end();
  await settled();
  expect(order).toHaveLength(4);
  again.end();
  await settled();
  expect(order.slice(4)).toEqual(['ann c']);
  for (const ticket of [second, third, other]) ticket.end();
});

test('[CLAIM1] users take turns when all places are used', async () => {
  const { take, order } = createPlaces(1, 1);
  const holder = take('ann', 'a');
  const waiting = [take('ann', 'b'), take('ann', 'c'), take('bob', 'a'), take('bob', 'a')];
  await settled();
  holder.end();
  await settled();
  waiting[0]?.end();
  await settled();
  waiting[2]?.end();
  waiting[3]?.end();
  await settled();
  expect(order).toEqual(['ann a', 'ann b', 'bob a', 'bob a', 'ann c']);
});

test('[CLAIM1] a queue that is never idle gives its place to one that waits', async () => {
  const { clock, take, order } = createPlaces(3, 1);
  const first = take('ann', 'a');
  const waiting = take('ann', 'b');
  const early = take('ann', 'a');
  clock.ms = 2_000;
  const late = take('ann', 'a');
  await settled();
  expect(order).toEqual(['ann a', 'ann a']);
  first.end();
  early.end();
  await settled();
  expect(order.slice(2)).toEqual(['ann b']);
  waiting.end();
  await settled();
  expect(order.slice(3)).toEqual(['ann a']);
  late.end();
});

test('[CLAIM1] a claim that no longer waits takes no place', async () => {
  const { take, order } = createPlaces(1, 1);
  const holder = take('ann', 'a');
  take('ann', 'b').end();
  const next = take('ann', 'c');
  holder.end();
  await settled();
  expect(order).toEqual(['ann a', 'ann c']);
  next.end();
});
