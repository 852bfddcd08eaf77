// Slices between gateways. A list replaces Redis and delivers each publication to all its
// subscribers.
import { rawSliceOf } from '@taskgraph/bus/events/raw-slice';
import { expect, it } from 'vitest';
import { createCarrier } from './slice-carrier.ts';

type Hear = (channel: Buffer, message: Buffer) => void;

/** Two gateways with their received slices, the traffic over Redis, and their logs. */
function connected() {
  const subscribers: { channels: Set<string>; hear: Hear }[] = [];
  const published: [channel: string, text: string][] = [];
  const logged: string[] = [];
  const hand = (channel: string, text: string) => {
    for (const { channels, hear } of subscribers)
      if (channels.has(channel)) hear(Buffer.from(channel), Buffer.from(text));
  };
  const publisher = {
    async spublish(channel: string, text: string) {
      published.push([channel, text]);
      hand(channel, text);
      return 0;
    },
  };
  const open = () => {
    const channels = new Set<string>();
    const subscriber = {
      on: (_event: string, hear: Hear) => void subscribers.push({ channels, hear }),
      ssubscribe: (channel: string) => void channels.add(channel),
      sunsubscribe: (channel: string) => void channels.delete(channel),
    };
    const taken: string[] = [];
    const log = { error: (_: object, message: string) => void logged.push(message) };
    const onSlice = ({ feed, seq, json }: { feed: string; seq: number; json: string }, bytes: number) => {
      expect(bytes).toBe(json.length);
      taken.push(`${feed} ${seq}`);
    };
    return { ...createCarrier(publisher, subscriber, { onSlice, log }), taken };
  };
  return { one: open(), other: open(), published, logged, hand };
}
const slice = (feed: string, seq: number) => rawSliceOf({ feed, epoch: 1, seq, diff: { text: 'é"]}' } });

it('[EVT1] forwards the slices of a feed together and in order to the other gateways with readers, and not back', async () => {
  const { one, other, published, logged } = connected();
  for (const { enter } of [one, other]) enter('root:a');
  one.enter('root:b');
  one.send([slice('root:a', 1), slice('root:b', 7), slice('root:a', 2)]);
  await expect.poll(() => other.taken).toEqual(['root:a 1', 'root:a 2']);
  other.send([slice('root:b', 8)]);
  await expect.poll(() => one.taken).toEqual(['root:b 8']);
  expect(published.map(([channel]) => channel)).toEqual(['root:a', 'root:b', 'root:b'].map(one.channelOf));
  other.leave('root:a');
  one.send([slice('root:a', 3)]);
  await expect.poll(() => published.length).toBe(4);
  expect([one.taken, other.taken, logged]).toEqual([['root:b 8'], ['root:a 1', 'root:a 2'], []]);
});

it('does not read its own messages, and reports unreadable messages of others', async () => {
  const { one, published, logged, hand } = connected();
  one.enter('root:a');
  one.send([slice('root:a', 1)]);
  await expect.poll(() => published.length).toBe(1);
  const [channel, text] = published[0] as [string, string];
  hand(channel, text.replace('"slices"', '"else"'));
  expect(logged).toEqual([]);
  hand(channel, text.replace('"slices"', '"else"').replace(/"uid":"\w+"/, '"uid":"stranger"'));
  hand(
    channel,
    text
      .replace('root:a', 'root a')
      .replace('epoch', 'time')
      .replace(/"uid":"\w+"/, '"uid":"stranger"'),
  );
  expect(logged).toEqual([
    'slices of another gateway could not be read',
    'a slice of another gateway could not be passed on',
  ]);
  expect(one.taken).toEqual([]);
});
