// Cuts an answer into messages that NATS takes, and joins them again.
import { randomUUID } from 'node:crypto';
import { headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import { ANSWER_HEADER, PART_HEADER, PARTS_HEADER } from './subjects.ts';

/** Bytes of one message's content: with its headers it stays under the 512 KB that the design allows. */
export const PART_BYTES = 480 * 1024;

/**
 * Bytes of a part of an answer. A receiver reads 64 KB at once: of what fits that nothing is copied, and a message of several is moved to a
 * larger place again and again while it comes.
 */
const SMALL_PART_BYTES = 60 * 1024;
/** An answer has no more parts than any release takes. */
const MOST_SMALL_PARTS = 100;

/** Bytes of one answer, and of all unfinished answers of one receiver together. */
export const JOIN_BYTES = 64 * 1024 * 1024;

/** The JSON of a value; null where it would be longer than a string can be. */
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

/** Cuts an answer into parts; one that fits is a single part without headers. */
export function splitAnswer(answer: Uint8Array): Part[] {
  const partBytes = Math.min(PART_BYTES, Math.max(SMALL_PART_BYTES, Math.ceil(answer.length / MOST_SMALL_PARTS)));
  if (answer.length <= partBytes) return [{ data: answer }];
  const count = Math.ceil(answer.length / partBytes);
  const answerId = randomUUID();
  return Array.from({ length: count }, (_, index) => {
    const header = headers();
    header.set(ANSWER_HEADER, answerId);
    header.set(PART_HEADER, String(index));
    header.set(PARTS_HEADER, String(count));
    return { data: answer.subarray(index * partBytes, (index + 1) * partBytes), headers: header };
  });
}

/** A budget of bytes that the joiners of one receiver share. */
export interface JoinBudget {
  usedBytes: number;
}

/** Joins the parts of the answers to one request. */
export interface Joiner {
  /** Gives the answer's bytes when complete, null when parts are missing, `over` past the budget, `broken` for impossible headers. */
  add(message: Msg): Uint8Array | null | 'over' | 'broken';
  /** Gives the budget back what unfinished answers used. */
  clear(): void;
}

const MAXIMUM_PARTS = Math.ceil(JOIN_BYTES / PART_BYTES);

/**
 * Makes a joiner. Two attempts of one request may both be answered in parts, with different content: parts are therefore kept apart
 * by the id of their answer, and the answer that is complete first counts.
 */
export function createJoiner(budget: JoinBudget): Joiner {
  const answers = new Map<string, { parts: (Uint8Array | undefined)[]; missing: number; bytes: number }>();
  return {
    add(message) {
      if (!message.headers?.has(PARTS_HEADER)) return message.data;
      const answerId = message.headers.get(ANSWER_HEADER);
      const count = Number(message.headers.get(PARTS_HEADER));
      const index = Number(message.headers.get(PART_HEADER));
      if (!Number.isInteger(count) || count < 1 || count > MAXIMUM_PARTS) return 'broken';
      const answer = answers.get(answerId) ?? { parts: new Array(count).fill(undefined), missing: count, bytes: 0 };
      if (answer.parts.length !== count || !Number.isInteger(index) || index < 0 || index >= count) return 'broken';
      if (answer.parts[index] !== undefined) return null;
      if (budget.usedBytes + message.data.length > JOIN_BYTES) return 'over';
      answers.set(answerId, answer);
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
