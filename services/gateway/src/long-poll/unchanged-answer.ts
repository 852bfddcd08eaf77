// Recognizes an answer of `changes:get` without changes, and creates such an answer without a read.
// Rule: LONG1.
import { type RawReply, withParsedBody } from '@taskgraph/bus/requests/raw-reply';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { z } from 'zod';
import type { Heads } from './user-follower.ts';

export type Reply = ReplyMessage | RawReply | Refusal;

/** An answer without changes: the position that it reached, and the numbers of its feeds. */
export interface UnchangedAnswer {
  readonly position: string;
  readonly heads: Heads;
}

const empty = z.array(z.unknown()).length(0);

const unchanged = z.object({
  position: z.string(),
  hasMore: z.literal(false),
  nodes: empty,
  links: empty,
  gone: z.object({ nodes: empty, links: empty }),
  feeds: z.object({ gained: empty, lost: empty }),
  heads: z.record(z.string(), z.int()),
});

/** Longer than the position and the numbers of all feeds that a reader is shown. */
const LONGEST_BYTES = 512 * 1_024;

/** The position and heads of an answer without changes; null for every other answer. */
export function unchangedAnswerOf(reply: Reply): UnchangedAnswer | null {
  if (isRefusal(reply) || 'compressed' in reply || ('json' in reply && reply.json.length > LONGEST_BYTES)) return null;
  const parsed = withParsedBody(reply);
  if (!parsed.ok) return null;
  const { success, data } = unchanged.safeParse(parsed.body);
  return success ? { position: data.position, heads: data.heads } : null;
}

/** An answer without changes up to a position. */
export function answerUnchanged(position: string): Reply {
  const none = { nodes: [], links: [] };
  const body = { position, hasMore: false, next: null, ...none, gone: none, feeds: { gained: [], lost: [] } };
  return { ok: true, body };
}
