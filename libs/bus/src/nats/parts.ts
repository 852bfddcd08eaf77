// Splits a reply into messages that fit the NATS limit, and joins them.
import { randomUUID } from 'node:crypto';
import { headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import { PART_COUNT_HEADER, PART_INDEX_HEADER, REPLY_ID_HEADER } from './subjects.ts';

/** Bytes of one message's content; with headers it stays under 512 KB. */
export const PART_BYTES = 480 * 1024;

/**
 * Bytes of a part. The receiver reads 64 KB at once: a part within one read needs no copy, while a
 * longer message moves to ever larger buffers as it arrives.
 */
const SMALL_PART_BYTES = 60 * 1024;
/** Maximum number of parts, which every release accepts. */
const MOST_SMALL_PARTS = 100;

/** Maximum bytes of one reply, and of all incomplete replies of one receiver together. */
export const JOIN_BYTES = 64 * 1024 * 1024;

/** The JSON of a value; null if it would exceed the maximum length of a string. */
export function tryStringify(value: unknown): string | null {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}

interface Part {
  data: Uint8Array;
  headers?: MsgHdrs;
}

/** Splits a reply into parts. A short reply is a single part without headers. */
export function splitAnswer(answer: Uint8Array): Part[] {
  const partBytes = Math.min(PART_BYTES, Math.max(SMALL_PART_BYTES, Math.ceil(answer.length / MOST_SMALL_PARTS)));
  if (answer.length <= partBytes) return [{ data: answer }];
  const count = Math.ceil(answer.length / partBytes);
  const replyId = randomUUID();
  return Array.from({ length: count }, (_, index) => {
    const header = headers();
    header.set(REPLY_ID_HEADER, replyId);
    header.set(PART_INDEX_HEADER, String(index));
    header.set(PART_COUNT_HEADER, String(count));
    return { data: answer.subarray(index * partBytes, (index + 1) * partBytes), headers: header };
  });
}

/** A byte budget shared by the joiners of one receiver. */
export interface JoinBudget {
  usedBytes: number;
}

/** Joins the parts of the replies to one request. */
export interface Joiner {
  /**
   * Returns the complete reply, null while parts are missing, `over` if the budget is exhausted, or
   * `broken` for invalid headers.
   */
  add(message: Msg): Uint8Array | null | 'over' | 'broken';
  /** Returns the bytes of incomplete replies to the budget. */
  clear(): void;
}

const MAXIMUM_PARTS = Math.ceil(JOIN_BYTES / PART_BYTES);

/**
 * Creates a joiner. Two attempts of one request may both get replies in parts, with different
 * content. So parts are grouped by reply id, and the first complete reply counts.
 */
export function createJoiner(budget: JoinBudget): Joiner {
  const answers = new Map<string, { parts: (Uint8Array | undefined)[]; missing: number; bytes: number }>();
  return {
    add(message) {
      if (!message.headers?.has(PART_COUNT_HEADER)) return message.data;
      const replyId = message.headers.get(REPLY_ID_HEADER);
      const count = Number(message.headers.get(PART_COUNT_HEADER));
      const index = Number(message.headers.get(PART_INDEX_HEADER));
      if (!Number.isInteger(count) || count < 1 || count > MAXIMUM_PARTS) return 'broken';
      const answer = answers.get(replyId) ?? { parts: new Array(count).fill(undefined), missing: count, bytes: 0 };
      if (answer.parts.length !== count || !Number.isInteger(index) || index < 0 || index >= count) return 'broken';
      if (answer.parts[index] !== undefined) return null;
      if (budget.usedBytes + message.data.length > JOIN_BYTES) return 'over';
      answers.set(replyId, answer);
      budget.usedBytes += message.data.length;
      answer.bytes += message.data.length;
      answer.parts[index] = message.data;
      answer.missing--;
      return answer.missing === 0 ? Buffer.concat(answer.parts as Uint8Array[]) : null;
    },
    clear() {
      for (const answer of answers.values()) budget.usedBytes -= answer.bytes;
      answers.clear();
    },
  };
}
