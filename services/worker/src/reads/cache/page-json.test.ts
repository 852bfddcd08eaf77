import { expect, test } from 'vitest';
import { jsonPieces } from './page-json.ts';

const LONG = 'ü"'.repeat(50_000);

test.each([
  ['nothing', {}],
  ['fields of every kind', { a: 1, b: null, c: 'x"y', d: { e: [1] }, f: undefined, g: [], h: [1, null, { i: [] }] }],
  [
    'more than fits a turn',
    { nodes: Array.from({ length: 20 }, (_, id) => ({ id, text: LONG })), links: [{ id: 'l' }] },
  ],
  ['one long item', { nodes: [LONG.repeat(10)], next: LONG.repeat(10), last: true }],
])('the JSON of %s equals the result of JSON.stringify', async (_, body) => {
  expect(Buffer.concat(await jsonPieces(body)).toString()).toBe(JSON.stringify(body));
});

test('[GEN11] a long page yields to other tasks', async () => {
  let turns = 0;
  let goesOn = true;
  const count = () => {
    turns++;
    if (goesOn) setImmediate(count);
  };
  setImmediate(count);
  await jsonPieces({ nodes: Array.from({ length: 100 }, () => LONG) });
  goesOn = false;
  // Ten million characters, a quarter of a million at once.
  expect(turns).toBeGreaterThan(20);
});
