import type { Msg } from '@nats-io/transport-node';
import { describe, expect, it } from 'vitest';
import { createJoiner, JOIN_BYTES, PART_BYTES, splitAnswer } from './parts.ts';

const messagesOf = (answer: Uint8Array) => splitAnswer(answer).map((part) => part as unknown as Msg);
const answerOf = (length: number, seed: number) => Buffer.alloc(length, `${seed}abcdefg`);

// Comparing with toEqual would look at each of millions of bytes in turn.
const isSame = (result: unknown, answer: Buffer) => result instanceof Uint8Array && answer.equals(result);

describe('answers in parts', () => {
  it('sends a short answer as it is', () => {
    const [only, ...rest] = messagesOf(answerOf(PART_BYTES, 1));
    expect(rest).toEqual([]);
    expect(only?.headers).toBeUndefined();
    expect(isSame(createJoiner({ usedBytes: 0 }).add(only!), answerOf(PART_BYTES, 1))).toBe(true);
  });

  it('joins parts in any order, and does not mix two answers', () => {
    const [first, second] = [answerOf(3 * PART_BYTES + 7, 1), answerOf(2 * PART_BYTES, 2)];
    const budget = { usedBytes: 0 };
    const joiner = createJoiner(budget);
    const [early, ...late] = messagesOf(second);
    const results = [...messagesOf(first).reverse(), early!].map((message) => joiner.add(message));
    expect(results.map((result) => isSame(result, first))).toEqual([false, false, false, true, false]);
    expect(late.map((message) => isSame(joiner.add(message), second))).toEqual([true]);
    joiner.clear();
    expect(budget.usedBytes).toBe(0);
  });

  it('counts a part once', () => {
    const joiner = createJoiner({ usedBytes: 0 });
    const [first] = messagesOf(answerOf(2 * PART_BYTES, 1));
    expect([joiner.add(first!), joiner.add(first!)]).toEqual([null, null]);
  });

  it('stops at the budget that all joiners share', () => {
    const budget = { usedBytes: JOIN_BYTES - PART_BYTES };
    const [first, second] = messagesOf(answerOf(2 * PART_BYTES, 1));
    const joiner = createJoiner(budget);
    expect([joiner.add(first!), joiner.add(second!)]).toEqual([null, 'over']);
  });

  it('finds impossible headers', () => {
    const [first] = messagesOf(answerOf(2 * PART_BYTES, 1));
    first!.headers?.set('Tg-Part', '2');
    expect(createJoiner({ usedBytes: 0 }).add(first!)).toBe('broken');
    first!.headers?.set('Tg-Parts', '1000000000');
    expect(createJoiner({ usedBytes: 0 }).add(first!)).toBe('broken');
  });
});
