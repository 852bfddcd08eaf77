import { describe, expect, it } from 'vitest';
import { type UpgradeRequest, upgradeView } from './upgrade-view.ts';

function requestWith(headers: [string, string][]): UpgradeRequest {
  return {
    getMethod: () => 'get',
    getUrl: () => '/ext-socket.io/',
    getQuery: () => 'EIO=4',
    getHeader: (name) => headers.find(([candidate]) => candidate === name)?.[1] ?? '',
    forEach: (visit) => {
      for (const [name, value] of headers) visit(name, value);
    },
  };
}

function headersOf(view: UpgradeRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  view.forEach((name, value) => {
    headers[name] = value;
  });
  return headers;
}

describe('upgradeView', () => {
  it('[AUTH3] echoes only Bearer, and moves the token to the Authorization header', () => {
    const view = upgradeView(requestWith([['sec-websocket-protocol', 'Bearer, secret']]));
    expect(view.getHeader('sec-websocket-protocol')).toBe('Bearer');
    expect(headersOf(view)).toEqual({ 'sec-websocket-protocol': 'Bearer', authorization: 'Bearer secret' });
  });

  it('[AUTH3] accepts the protocols also as two headers', () => {
    const view = upgradeView(
      requestWith([
        ['sec-websocket-protocol', 'Bearer'],
        ['sec-websocket-protocol', 'secret'],
      ]),
    );
    expect(headersOf(view)).toEqual({ 'sec-websocket-protocol': 'Bearer', authorization: 'Bearer secret' });
  });

  it('prefers an existing Authorization header', () => {
    const view = upgradeView(
      requestWith([
        ['authorization', 'Bearer first'],
        ['sec-websocket-protocol', 'Bearer, second'],
      ]),
    );
    expect(view.getHeader('authorization')).toBe('Bearer first');
  });

  it('echoes no unsupported protocol', () => {
    for (const protocols of ['', 'graphql-ws', 'secret, Bearer']) {
      const view = upgradeView(requestWith([['sec-websocket-protocol', protocols]]));
      expect(headersOf(view)).toEqual({});
    }
  });
});
