import { expect, test } from 'vitest';
import { headsOf, openPosition, signPosition } from './position.ts';

const heads = headsOf([
  { feed: 'user:ann', seq: 7 },
  { feed: 'root:node', seq: 0 },
]);
const text = signPosition('secret', 'ann', heads);

test('[EVT2] a position is valid for the user for whom it was signed', () => {
  expect(openPosition('secret', 'ann', text)).toEqual({ 'user:ann': 7, 'root:node': 0 });
  expect(openPosition('secret', 'bob', text)).toBeNull();
  expect(openPosition('another secret', 'ann', text)).toBeNull();
});

test('[EVT2] a forged or shortened position is invalid', () => {
  const [body = '', signature = ''] = text.split('.');
  const forged = Buffer.from(JSON.stringify({ reader: 'ann', feeds: { 'user:ann': 9 } })).toString('base64url');
  for (const other of [
    '',
    '.',
    body,
    `${body}.`,
    `.${signature}`,
    `${forged}.${signature}`,
    `${text}.x`,
    `${body}.${signature.slice(1)}`,
  ]) {
    expect(openPosition('secret', 'ann', other)).toBeNull();
  }
});
