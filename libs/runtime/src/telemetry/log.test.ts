import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';

const STEERING = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

describe('createLog', () => {
  const lines: string[] = [];
  const log = createLog({ name: 'gateway', level: 'info' }, { write: (line) => void lines.push(line) });

  it('hides secrets, also in headers', () => {
    log.info(
      { token: 's3cret', request: { headers: { authorization: 's3cret' } }, user: { password: 's3cret' } },
      'hello',
    );
    expect(lines.at(-1)).not.toContain('s3cret');
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ name: 'gateway', msg: 'hello', token: '[redacted]' });
  });

  it.each([
    'password',
    'passwordHash',
    'current',
    'token',
    'api_token',
    'public_token',
    'publicToken',
    'plaintext',
    'hash',
    'secret',
    'clientSecret',
    'session',
    'authorization',
    'Authorization',
    'cookie',
    'Cookie',
    'set-cookie',
    'Set-Cookie',
    'sec-websocket-protocol',
    'verifier',
    'nonce',
    'ticket',
    'proof',
    'salt',
  ])('hides %s at every depth of a logged value', (field) => {
    const secret = { [field]: 's3cret' };
    log.info({ ...secret, seen: 1, request: { ...secret, seen: 2, headers: { ...secret, seen: 3 } } }, 'hello');
    const line = lines.at(-1) ?? '';
    expect(line).not.toContain('s3cret');
    const hidden = { [field]: '[redacted]' };
    const headers = { ...hidden, seen: 3 };
    expect(JSON.parse(line)).toMatchObject({ ...hidden, seen: 1, request: { ...hidden, seen: 2, headers } });
  });

  it('writes an error with its stack', () => {
    log.error({ error: new Error('broken') }, 'oh');
    log.error(new Error('broken'));
    for (const line of lines.slice(-2)) expect(JSON.parse(line).error.stack).toContain('log.test.ts');
  });

  it('writes one line with the same content, without control characters, for any text', () => {
    const property = fc.property(fc.string({ unit: 'binary' }), (text) => {
      log.child({ [text]: text }).info({ what: { text } }, text);
      const line = lines.at(-1) ?? '';
      expect(line.slice(0, -1)).not.toMatch(STEERING);
      expect(line.at(-1)).toBe('\n');
      expect(JSON.parse(line)).toMatchObject({ msg: text, what: { text } });
    });
    const hostile = [
      '\u001b]2;owned\u0007',
      'a\nb\r\n{"level":50}',
      '\u009b2J\u007f\u0085',
      'a\u202eb\u2028c\u061c\u200f',
    ];
    fc.assert(property, { numRuns: runs(200), examples: hostile.map((text): [string] => [text]) });
  });

  it('omits lines below its level', () => {
    const before = lines.length;
    log.debug('quiet');
    expect(lines.length).toBe(before);
  });
});
