import { runs } from '@taskgraph/testkit/runs';
import { slicesMessage } from '@taskgraph/wire/bus/feed-messages';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PART_BYTES } from '../nats/parts.ts';
import { diffOf } from './raw-slice.ts';
import { packSlices, unpackSlices } from './slices.ts';

const slice = (seq: number, text: string) => ({ feed: 'user:1', epoch: 1, seq, diff: { text } });
/** As a gateway of the previous release reads them. */
const unpack = (messages: Uint8Array[]) =>
  messages.flatMap((message) => slicesMessage.parse(JSON.parse(Buffer.from(message).toString())).slices);
/** As the current release reads them. */
const cut = (messages: Uint8Array[]) =>
  messages.flatMap(unpackSlices).map((raw) => {
    const { json, diffAt: _, ...others } = raw;
    expect(JSON.parse(json)).toEqual({ ...others, diff: diffOf(raw) });
    return { ...others, diff: diffOf(raw) };
  });

describe('packSlices', () => {
  it('keeps all slices in order, in messages that fit', () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 300_000 }), { maxLength: 12 });
    fc.assert(
      fc.property(lengths, (some) => {
        const slices = some.map((length, seq) => slice(seq, 'x'.repeat(length)));
        const messages = packSlices(slices);
        for (const message of messages) expect(message.length).toBeLessThanOrEqual(PART_BYTES);
        expect(unpack(messages)).toEqual(slices);
        expect(cut(messages)).toEqual(slices);
      }),
      { numRuns: runs(50) },
    );
  });

  it('replaces a slice that is too long by a marker', () => {
    const messages = packSlices([slice(1, 'a'), slice(2, 'é'.repeat(PART_BYTES / 2)), slice(3, 'b')]);
    expect(unpack(messages).map(({ diff }) => diff)).toEqual([{ text: 'a' }, { truncated: true }, { text: 'b' }]);
  });

  it('[ACL7] a marker keeps the other audiences of its slice', () => {
    const rest = { public: true, access: [{ feed: 'root:a', change: 'lost', level: null }] } as const;
    const messages = packSlices([{ ...slice(1, 'a'.repeat(PART_BYTES)), ...rest, access: [...rest.access] }]);
    expect(unpack(messages)).toEqual([{ feed: 'user:1', epoch: 1, seq: 1, diff: { truncated: true }, ...rest }]);
  });

  it('[EVT2] sends a bare marker if the marker itself is too long: 13,500 changes of access exceed the limit of NATS', () => {
    const access = Array.from({ length: 13_500 }, (_, index) => ({
      feed: `root:${index}`.padEnd(41, 'x'),
      change: 'gained' as const,
      level: 3,
    }));
    expect(Buffer.byteLength(JSON.stringify(access))).toBeGreaterThan(1_000_000);
    const messages = packSlices([slice(1, 'a'), { ...slice(2, 'b'), public: true, access }, slice(3, 'c')]);
    for (const message of messages) expect(message.length).toBeLessThanOrEqual(PART_BYTES);
    const bare = { feed: 'user:1', epoch: 1, seq: 2, diff: { truncated: true }, public: true };
    expect(unpack(messages)).toEqual([slice(1, 'a'), bare, slice(3, 'c')]);
  });

  it('[PUB4, EVT2] each slice names its other audiences and contains changes of access', () => {
    const access = [{ feed: 'root:a', change: 'gained' as const, level: 3 }];
    const slices = [slice(1, '"é]},{'), { ...slice(2, 'b'), public: true as const }, { ...slice(3, 'c'), access }];
    expect(cut(packSlices(slices))).toEqual(slices);
    expect(cut([Buffer.from(JSON.stringify({ slices }))])).toEqual(slices);
  });

  it.each([
    ['cuts that do not fit', '{"cuts":[1,2],"slices":[{"feed":"a"}]}'],
    ['a number that is none', '{"cuts":[48],"slices":[{"feed":"root:a","epoch":"1","seq":1,"diff":{"a":1}}]}'],
    ['a diff that is none', '{"cuts":[43],"slices":[{"feed":"root:a","epoch":1,"seq":1,"diff":[1]}]}'],
    ['no slices', '{"ok":true}'],
    ['no JSON', '{"cuts":[2],"slices":[{]]}'],
  ])('rejects a message with %s', (_what, text) => {
    expect(() => unpackSlices(Buffer.from(text))).toThrow();
  });

  it('creates no message for an empty list', () => {
    expect(packSlices([])).toEqual([]);
  });
});
