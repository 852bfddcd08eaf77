import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { AUDIT_EVENTS, type AuditFacts, createAudit } from './audit.ts';
import { createLog } from './log.ts';

function auditing(level: string) {
  const lines: Record<string, unknown>[] = [];
  const log = createLog({ name: 'gateway', level }, { write: (line) => void lines.push(JSON.parse(line)) });
  return { lines, audit: createAudit(log) };
}
const who = { id: '01890000-0000-7000-8000-000000000001', email: 'ann@example.com' };

it('[AUTH4] an event is one line with actor, action, address, outcome and trace', () => {
  const { lines, audit } = auditing('info');
  const what = { by: 'password', email: who.email, sessionId: 's' };
  audit({ event: 'sign-in', outcome: 'ok', who, from: '203.0.113.7', what, traceId: 'abc' });
  expect(lines).toHaveLength(1);
  const fixed = { audit: true, name: 'gateway', msg: 'audit', traceId: 'abc' };
  expect(lines[0]).toMatchObject({ ...fixed, event: 'sign-in', outcome: 'ok', who, from: '203.0.113.7', what });
});

it.each(['error', 'silent'])('[AUTH4] is written at level %s too', (level) => {
  const { lines, audit } = auditing(level);
  audit({ event: 'sign-out', outcome: 'ok', who, from: '203.0.113.7', what: { sessionId: 's' } });
  expect(lines).toHaveLength(1);
});

it('[AUTH4] omits unlisted fields, including those of users, and shortens long texts', () => {
  const { lines, audit } = auditing('info');
  const what = { tokenId: 't', name: 'x'.repeat(10_000), plaintext: 's3cret' } as AuditFacts<'token:create'>;
  const more = { ...who, passwordHash: 's3cret' };
  audit({ event: 'token:create', outcome: 'ok', who: more, from: '203.0.113.7', what });
  expect(JSON.stringify(lines[0])).not.toContain('s3cret');
  expect(lines[0]?.what).toEqual({ tokenId: 't', name: 'x'.repeat(300) });
});

it('[AUTH4] docs/audit.md has a row for each event, with its fields', () => {
  const text = readFileSync(new URL('../../../../docs/audit.md', import.meta.url), 'utf8');
  const rows = [...text.matchAll(/^\| `([\w:-]+)` \|[^|]*\| ([^|]*) \|$/gm)].map(([, event, fields]) => [
    event,
    (fields ?? '').match(/\w+/g),
  ]);
  expect(rows).toEqual(Object.entries(AUDIT_EVENTS).map(([event, fields]) => [event, [...fields]]));
});
