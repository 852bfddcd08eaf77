// Control messages over a fake connection that delivers each publication to its own subscriber.
import type { ControlMessage } from '@taskgraph/wire/bus/feed-messages';
import { describe, expect, it } from 'vitest';
import type { Bus } from '../nats/connect.ts';
import { PART_BYTES } from '../nats/parts.ts';
import { CONTROL_SUBJECT } from '../nats/subjects.ts';
import { packControl, publishControl, serveControl } from './control.ts';

const unpack = (messages: Uint8Array[]) =>
  messages.map((message) => JSON.parse(Buffer.from(message).toString()) as ControlMessage);

function fakeBus() {
  type Callback = (error: Error | null, message: { json(): unknown }) => void;
  const subscribers: { subject: string; queue: string | undefined; callback: Callback }[] = [];
  const errors: string[] = [];
  const state = { connected: true };
  const publish = (subject: string, content: string | Uint8Array) => {
    const message = { json: (): unknown => JSON.parse(Buffer.from(content as Uint8Array).toString()) };
    for (const subscriber of subscribers) if (subscriber.subject === subject) subscriber.callback(null, message);
  };
  const bus = {
    connected: () => state.connected,
    log: { debug: () => undefined, error: (_: object, text: string) => void errors.push(text) },
    publish,
    connection: {
      subscribe: (subject: string, options: { queue?: string; callback: Callback }) =>
        void subscribers.push({ subject, queue: options.queue, callback: options.callback }),
    },
  } as unknown as Bus;
  return { bus, publish, errors, subscribers, state };
}

describe('control', () => {
  const message = { readers: ['a'], feeds: [{ feed: 'root:b', epoch: 2 }] };

  it('[ACL7] reaches every gateway, and none during an outage', () => {
    const { bus, subscribers, state } = fakeBus();
    const taken: ControlMessage[][] = [[], []];
    for (const mine of taken) serveControl(bus, (arrived) => void mine.push(arrived));
    publishControl(bus, message);
    state.connected = false;
    publishControl(bus, { readers: ['late'], feeds: [] });
    expect(taken).toEqual([[message], [message]]);
    expect(subscribers.map(({ queue }) => queue)).toEqual([undefined, undefined]);
  });

  it('continues after malformed messages and failing handlers', () => {
    const { bus, publish, errors } = fakeBus();
    const taken: ControlMessage[] = [];
    serveControl(bus, (arrived) => {
      taken.push(arrived);
      if (taken.length === 1) throw new Error('the first one fails');
    });
    publish(CONTROL_SUBJECT, Buffer.from('not JSON'));
    publish(CONTROL_SUBJECT, Buffer.from('{"readers":[],"feeds":[{"feed":"root:a","epoch":"two"}]}'));
    publishControl(bus, message);
    publishControl(bus, message);
    expect(taken).toEqual([message, message]);
    expect(errors).toEqual(new Array(3).fill('a control message could not be processed'));
  });

  it('splits long lists without losses, and sends no message for an empty list', () => {
    const readers = Array.from({ length: 30_000 }, (_, index) => `reader-${index}`.padEnd(36, 'é'));
    const feeds = Array.from({ length: 9_000 }, (_, index) => ({
      feed: `root:${index}`.padEnd(41, 'x'),
      epoch: index,
    }));
    const messages = packControl({ readers, feeds });
    expect(messages.length).toBeGreaterThan(2);
    for (const content of messages) expect(content.length).toBeLessThanOrEqual(PART_BYTES);
    expect(unpack(messages).flatMap((part) => part.feeds)).toEqual(feeds);
    expect(unpack(messages).flatMap((part) => part.readers)).toEqual(readers);
    expect(packControl({ readers: [], feeds: [] })).toEqual([]);
  });

  it('[PUB6] reports publications whose end moved, and only those', () => {
    const publications = Array.from({ length: 15_000 }, (_, index) => `node-${index}`.padEnd(36, 'x'));
    const parts = unpack(packControl({ readers: [], feeds: [], publications }));
    expect([parts.length, parts.flatMap((part) => part.publications ?? [])]).toEqual([2, publications]);
    expect(packControl({ readers: [], feeds: [], publications: [] })).toEqual([]);
  });

  it('[AUTH1 AUTH2] reports ended tokens and disabled users before everything else', () => {
    const tokens = Array.from({ length: 15_000 }, (_, index) => `token-${index}`.padEnd(36, 'x'));
    const feeds = [{ feed: 'root:a', epoch: 2 }];
    const parts = unpack(packControl({ readers: ['a'], feeds, tokens, users: ['u'] }));
    expect(parts.length).toBe(2);
    expect(parts.flatMap((part) => part.tokens ?? [])).toEqual(tokens);
    expect(parts.at(-1)).toMatchObject({ users: ['u'], feeds, readers: ['a'] });
    expect(unpack(packControl({ readers: ['a'], feeds }))).toEqual([{ readers: ['a'], feeds }]);
  });
});
