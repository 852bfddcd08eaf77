// The audit log of commands, by the answers that workers give.
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { expect, it } from 'vitest';
import { auditCommand } from './command-audit.ts';

const who = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };
const told = { who, from: '203.0.113.7', traceId: 't' };
const grant = (op: number, id: string) => ({ op, before: {}, after: { id, email: 'bob@example.com', level: 3 } });
const node = (op: number, after: object) => ({ op, before: {}, after });
const done = (diff: object): ReplyMessage => ({ ok: true, body: { diff: { batchId: 'b', ...diff } } });

/** The lines that a command leaves. */
function linesOf(event: string, reply: ReplyMessage, payload: Record<string, unknown> = {}) {
  const lines: { event: string; outcome: string; what: Record<string, unknown> }[] = [];
  auditCommand((act) => void lines.push(act as (typeof lines)[0]), { event, payload, reply, ...told });
  return lines;
}

it('[AUTH4] audits each grant and publication of a batch, and never the public token', () => {
  const nodes = [
    node(1, { id: 'n', title: 'a title' }),
    node(6, { id: 'n', publicToken: 's3cret', publicDue: null, publicBranch: true }),
    node(6, { id: 'n', publicDue: '2030-01-01T00:00:00.000Z' }),
    node(6, { id: 'n', publicToken: null, publicDue: null }),
  ];
  const lines = linesOf('batch:run', done({ nodes, access: [grant(20, 'a'), grant(21, 'a'), grant(22, 'a')] }));
  expect(lines.map(({ event, what }) => [event, what.change, what.nodeId, what.call])).toEqual([
    ['grant', 'granted', 'a', 'batch:run'],
    ['grant', 'changed', 'a', 'batch:run'],
    ['grant', 'ended', 'a', 'batch:run'],
    ['publication', 'published', 'n', 'batch:run'],
    ['publication', 'changed', 'n', 'batch:run'],
    ['publication', 'ended', 'n', 'batch:run'],
  ]);
  expect(lines[0]).toMatchObject({
    outcome: 'ok',
    ...told,
    what: { email: 'bob@example.com', level: 3, batchId: 'b' },
  });
  expect(JSON.stringify(lines)).not.toMatch(/s3cret|a title/);
});

it('[AUTH4] audits refused grants and publications, and no other refusal', () => {
  const refused: ReplyMessage = { ok: false, error: 'forbidden', message: 'No.' };
  const payload = { id: 'n', email: 'bob@example.com', level: 1 };
  expect(linesOf('node:access', refused, payload)).toEqual([
    {
      event: 'grant',
      outcome: 'forbidden',
      ...told,
      what: { call: 'node:access', nodeId: 'n', email: 'bob@example.com', level: 1 },
    },
  ]);
  expect(linesOf('node:publish', refused, { id: 'n' })).toMatchObject([{ event: 'publication', outcome: 'forbidden' }]);
  expect(linesOf('node:update', refused, payload)).toEqual([]);
});

it('[AUTH4 BAT3] audits a grant for which a whole batch is refused', () => {
  const refused: ReplyMessage = { ok: false, error: 'forbidden', message: 'No.', details: { index: 1 } };
  const grant = { event: 'node:access', payload: { id: 'n', email: 'bob@example.com', level: 1 } };
  const [line, ...more] = linesOf('batch:run', refused, { operations: [{ event: 'node:add' }, grant] });
  expect(line).toMatchObject({ event: 'grant', outcome: 'forbidden', what: { call: 'batch:run', nodeId: 'n' } });
  expect(more).toEqual([]);
  expect(linesOf('batch:run', refused, { operations: [grant, { event: 'node:add' }] })).toEqual([]);
});

it('[AUTH4 DRY1] audits no dry run, and at most a hundred grants, with the number of further ones', () => {
  const access = Array.from({ length: 250 }, (_, index) => grant(20, `n${index}`));
  expect(linesOf('node:add', done({ access }), { dryRun: true })).toEqual([]);
  const lines = linesOf('node:add', done({ access }));
  expect(lines).toHaveLength(100);
  expect(lines.at(-1)?.what.more).toBe(150);
});
