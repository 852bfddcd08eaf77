import type { Msg } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { createJoiner, JOIN_BYTES, PART_BYTES, splitAnswer } from './parts.ts';

const messagesOf = (answer: Uint8Array) => splitAnswer(answer).map((part) => part as unknown as Msg);
const answerOf = (length: number, seed: number) => Buffer.alloc(length, `${seed}abcdefg`);

// toEqual would compare millions of bytes one by one.
const isSame = (result: unknown, answer: Buffer) => result instanceof Uint8Array && answer.equals(result);

/** Less than a part. */
const SHORT = 50 * 1024;
/** Parts that the previous release accepts. */
const MOST_PARTS = Math.ceil(JOIN_BYTES / PART_BYTES);

describe('answers in parts', () => {
  it.each([SHORT, 8 * PART_BYTES, 64 * PART_BYTES, JOIN_BYTES])(
    'splits %i bytes into parts that NATS accepts, and into no more than any release accepts',
    (length) => {
      const parts = messagesOf(Buffer.alloc(length));
      expect(parts.length).toBeLessThanOrEqual(MOST_PARTS);
      expect(Math.max(...parts.map(({ data }) => data.length))).toBeLessThanOrEqual(PART_BYTES);
      expect(parts.reduce((sum, { data }) => sum + data.length, 0)).toBe(length);
    },
  );

  it('sends a short answer as it is', () => {
    const [only, ...rest] = messagesOf(answerOf(SHORT, 1));
    expect(rest.length).toBe(0);
    expect(only?.headers).toBeUndefined();
    expect(isSame(createJoiner({ usedBytes: 0 }).add(only!), answerOf(SHORT, 1))).toBe(true);
  });

  it('joins parts in any order, and does not mix two answers', () => {
    const [first, second] = [answerOf(3 * PART_BYTES + 7, 1), answerOf(2 * PART_BYTES, 2)];
    const budget = { usedBytes: 0 };
    const joiner = createJoiner(budget);
    const [early, ...late] = messagesOf(second);
    const results = [...messagesOf(first).reverse(), early!].map((message) => joiner.add(message));
    expect(results.findIndex((result) => isSame(result, first))).toBe(results.length - 2);
    expect(late.findIndex((message) => isSame(joiner.add(message), second))).toBe(late.length - 1);
    joiner.clear();
    expect(budget.usedBytes).toBe(0);
  });

  it('counts a part once', () => {
    const joiner = createJoiner({ usedBytes: 0 });
    const [first] = messagesOf(answerOf(2 * PART_BYTES, 1));
    expect([joiner.add(first!), joiner.add(first!)]).toEqual([null, null]);
  });

  it('stops at the shared budget of all joiners', () => {
    const [first, second] = messagesOf(answerOf(2 * PART_BYTES, 1));
    const budget = { usedBytes: JOIN_BYTES - first!.data.length };
    const joiner = createJoiner(budget);
    expect([joiner.add(first!), joiner.add(second!)]).toEqual([null, 'over']);
  });

  it('rejects impossible headers', () => {
    const [first] = messagesOf(answerOf(2 * PART_BYTES, 1));
    first!.headers?.set('Tg-Part', first!.headers.get('Tg-Parts'));
    expect(createJoiner({ usedBytes: 0 }).add(first!)).toBe('broken');
    first!.headers?.set('Tg-Parts', '1000000000');
    expect(createJoiner({ usedBytes: 0 }).add(first!)).toBe('broken');
  });
});
