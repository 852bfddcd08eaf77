import { LIMITS, type Rates } from '@taskgraph/commands/rate-limits';
import { OPERATIONS } from '@taskgraph/wire/operations/operations';
import { expect, it } from 'vitest';
import { capabilitiesRoutes } from './capabilities.ts';
import { performRoute } from './route-handler.ts';

const RATES = Object.fromEntries(LIMITS.map(({ name, points, seconds }) => [name, { points, seconds }])) as Rates;
const OFF = { mayRegister: false, sendsMail: false, provider: null, docs: false, rates: null };
const ON = { mayRegister: true, sendsMail: true, provider: 'Example ID', docs: true, rates: RATES };

async function ask(options: typeof OFF | typeof ON, ifNoneMatch = '', query: Record<string, string> = {}) {
  const [route] = capabilitiesRoutes(options);
  const header = (name: string) => (name === 'if-none-match' ? ifNoneMatch : '');
  const request = { identity: null, received: { query: '', header }, traceId: '0'.repeat(32), arrivedMs: 1, ip: '::1' };
  const input = { query: { values: query, repeated: [] } };
  return performRoute(route!, { ...request, input }, () => expect.fail('it writes no audit line'));
}

it('[CAP1] describes what the operator has turned on, and nothing else', async () => {
  const off = await ask(OFF);
  expect(off.reply).toMatchObject({
    body: { registration: false, mail: false, provider: null, docs: false, console: false, limits: { rates: null } },
  });
  const on = await ask(ON);
  expect(on.reply).toMatchObject({
    body: { registration: true, mail: true, provider: { name: 'Example ID' }, docs: true, console: false },
  });
  for (const { reply } of [off, on]) {
    const { body } = reply as unknown as { body: object };
    // The schema is closed: a field that it does not name would fail here.
    const answer = { ok: true, ...body, trace_id: '0'.repeat(32) };
    expect(OPERATIONS.capabilities.answer.safeParse(answer).error).toBeUndefined();
  }
});

it('[CAP1 LIM1] lists the rate limits in force', async () => {
  const rates = { ...RATES, 'graph:get': { points: 7, seconds: 3 } };
  const { reply } = await ask({ ...ON, rates });
  const { body } = reply as unknown as { body: { limits: { rates: object } } };
  expect(body.limits.rates).toMatchObject({ 'graph:get': { calls: 7, seconds: 3 } });
  expect(Object.keys(body.limits.rates)).toEqual(LIMITS.map(({ name }) => name));
});

it('[CAP1] a client with the present answer gets 304, until a setting changes', async () => {
  const { headers } = await ask(ON);
  expect(headers).toEqual({ ETag: expect.stringMatching(/^W\/"[\w-]{27}"$/), 'Cache-Control': 'no-cache' });
  expect(await ask(ON, String(headers?.ETag))).toMatchObject({ status: 304, headers });
  expect((await ask({ ...ON, docs: false }, String(headers?.ETag))).status).toBeUndefined();
  expect((await ask(ON, 'W/"other"')).status).toBeUndefined();
});

it('[CAP1 GEN4] refuses parameters', async () => {
  expect((await ask(ON, '', { email: 'x' })).reply).toMatchObject({ code: 'bad_request.unknown_field' });
});
