// Texts that are expensive for patterns, in every text field, with and without authentication.
import { send } from '../raw-http.ts';
import { type Attack, addressesOf, count, repeat } from './attack.ts';

const address = addressesOf(10);
/** Just below the limit of a body. */
const LONG = 250_000;

const WORST: readonly string[] = [
  ' '.repeat(LONG),
  `a${' '.repeat(LONG)}b`,
  '\u00a0'.repeat(LONG / 2),
  `2026-01-01T00:00:00.${'0'.repeat(LONG)}`,
  '9'.repeat(LONG),
  `${'a@'.repeat(LONG / 2)}`,
  `${'a.'.repeat(LONG / 2)}@`,
  '-'.repeat(LONG),
  '[{"a":'.repeat(LONG / 6),
];

export const texts: Attack = async (context) => {
  const { plan } = context;
  await repeat(context, 150, async (turn) => {
    const text = WORST[turn % WORST.length] as string;
    const url = plan.urls[turn % plan.urls.length] as string;
    const from = address(turn);
    const { token } = plan.plainUsers[turn % plan.plainUsers.length] as { token: string };
    const requests = [
      { method: 'POST', path: '/api/register', body: { email: 'a@example.com', username: text } },
      { method: 'POST', path: '/api/register', body: { email: text, username: 'a' } },
      { method: 'POST', path: '/api/login', body: { email: text, password: text.slice(0, 100) } },
      { method: 'POST', path: '/api/node', token, body: { title: 'a', dueDate: text } },
      { method: 'POST', path: '/api/node', token, body: text },
      { method: 'GET', path: `/api/graph?limit=${text.slice(0, 8_000).replace(/[^\w.@-]/g, '+')}`, token },
      {
        method: 'GET',
        path: '/api/graph',
        headers: { authorization: `Bearer ${text.slice(0, 3_000).replace(/[^ -~]/g, ' ')}` },
      },
    ];
    const request = requests[turn % requests.length] as (typeof requests)[number];
    count(context, (await send({ url, from, ...request })).status);
  });
};
