import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';

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
    ...[
      'password',
      'passwordHash',
      'current',
      'token',
      'api_token',
      'public_token',
      'publicToken',
      'plaintext',
      'hash',
    ],
    ...['secret', 'clientSecret', 'session', 'authorization', 'Authorization', 'cookie', 'Cookie', 'set-cookie'],
    ...['Set-Cookie', 'sec-websocket-protocol', 'verifier', 'nonce', 'ticket', 'proof', 'salt'],
  ])('hides %s, at each depth at which something is logged', (field) => {
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

  it('leaves out what is below its level', () => {
    const before = lines.length;
    log.debug('quiet');
    expect(lines.length).toBe(before);
  });
});
