// Judges each reply of the clients during an upgrade: refusals that belong to the clients' work, codes
// that permit a retry, and anything else, which is an anomaly.
import type { Anomaly } from '../history/history.ts';
import type { Caller, Reply } from '../run/callers.ts';

export interface ReplyCounts {
  /** Attempts, with each kind of client. */
  readonly attempts: Map<string, number>;
  /** Refusals of commands that contradict each other, by code. */
  readonly refused: Map<string, number>;
  /** Attempts after which the client tried again, by code. */
  readonly retried: Map<string, number>;
}

export const newReplyCounts = (): ReplyCounts => ({ attempts: new Map(), refused: new Map(), retried: new Map() });

/**
 * The clients race on shared nodes and lose access to them, so these refusals are right. The checks of the
 * history examine whether they are.
 */
const OF_THE_WORK = /^(conflict|version_conflict|forbidden|not_found|not_trashed)/;
/**
 * Documented: the client resends the command under its key (docs/errors.md, docs/interface.md). `late` is
 * the replica's own time limit, as `client.timeout` is that of the SDK.
 */
const PERMITS_RETRY = /^(unavailable|client\.|late$)/;
/**
 * A socket that ended with its gateway, and a kept connection of REST that the gateway closed while a
 * request was on its way, which HTTP can't exclude.
 */
const ENDED_CONNECTION = /socket has been disconnected|TypeError: fetch failed: (ECONNRESET|EPIPE|UND_ERR_SOCKET)$/;

export function judgeReply(counts: ReplyCounts, reply: Reply, { name }: Caller): Anomaly[] {
  const kind = name.replace(/\d+$/, '');
  increment(counts.attempts, kind);
  if (reply.kind === 'done') return [];
  if (reply.kind === 'refused') {
    increment(counts.refused, reply.code);
    return OF_THE_WORK.test(reply.code) ? [] : [unexpected(name, reply.code)];
  }
  const why = reply.kind === 'unknown' ? reply.why : `${reply.code}, not done`;
  increment(counts.retried, `${kind}: ${why}`);
  return PERMITS_RETRY.test(why) || ENDED_CONNECTION.test(why) ? [] : [unexpected(name, why)];
}

function unexpected(name: string, why: string): Anomaly {
  return { kind: 'an unexpected reply', what: `${why} to ${name}`, about: [] };
}

function increment(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}
