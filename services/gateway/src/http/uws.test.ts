// The adapter between Socket.IO's engine and the app, with a hand-made app.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { type App, appForSocketIo, type Request, type Response } from './uws.ts';

type Behavior = Parameters<App['ws']>[1];

const guard = { open: () => undefined, receive: () => true, drained: () => undefined, closed: () => undefined };

/** The behavior that the native app is given, where limits take a turn to let an upgrade pass. */
function behaviorOf(engine: Behavior): Behavior {
  let given: Behavior | undefined;
  const app = { ws: (_: string, behavior: Behavior) => (given = behavior) } as unknown as App;
  const takeUpgrade = () => sleep(1).then(() => guard);
  const connections = { takeUpgrade, published: () => undefined };
  appForSocketIo(app, { connections, addressOf: (remote) => remote, backpressureBytes: 1 }).ws('/path', engine);
  return given as Behavior;
}

const request = {
  getMethod: () => 'get',
  getUrl: () => '/path',
  getQuery: () => 'EIO=4&transport=websocket',
  getHeader: () => '',
  forEach: () => undefined,
} as unknown as Request;

/** A response that records its writes, and whether they were corked. */
function notingResponse() {
  const written: [what: unknown, isCorked: boolean][] = [];
  let corks = 0;
  let asked = 0;
  const response = {
    onAborted: () => response,
    getRemoteAddressAsText: () => {
      asked++;
      return new TextEncoder().encode('203.0.113.5').buffer;
    },
    cork(act: () => void) {
      corks++;
      act();
      corks--;
      return response;
    },
    writeStatus(status: string) {
      written.push([status, corks > 0]);
      return response;
    },
    upgrade: (opened: object) => void written.push([opened, corks > 0]),
  } as unknown as Response;
  return { response, written, asked: () => asked };
}

test('an upgrade is sent in one write, although the engine handles it some turns later', async () => {
  const behavior = behaviorOf({
    async upgrade(response) {
      await sleep(1);
      response.writeStatus('101 Switching Protocols');
      response.upgrade({ transport: 'transport' }, '', '', '', {} as never);
    },
  });
  const { response, written } = notingResponse();
  behavior.upgrade?.(response, request, {} as never);
  await vi.waitFor(() => expect(written).not.toEqual([]), 60_000);
  expect(written).toEqual([[{ transport: 'transport', connection: guard }, true]]);
});

test('an engine that refuses an upgrade answers so, and does not read the address again', async () => {
  const behavior = behaviorOf({
    upgrade(response) {
      expect(Buffer.from(response.getRemoteAddressAsText()).toString()).toBe('203.0.113.5');
      response.writeStatus('400 Bad Request');
    },
  });
  const { response, written, asked } = notingResponse();
  behavior.upgrade?.(response, request, {} as never);
  await vi.waitFor(() => expect(written).not.toEqual([]), 60_000);
  expect(written).toEqual([['400 Bad Request', true]]);
  expect(asked()).toBe(1);
});
