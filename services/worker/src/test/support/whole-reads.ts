// Reads for tests, as a gateway makes them.
import { decompressJson } from '@taskgraph/bus/requests/compressed-json';
import { type RawReply, rawReplyOf, withParsedBody } from '@taskgraph/bus/requests/raw-reply';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { conformingReply } from '@taskgraph/testkit/contract/conformance';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { createPageBudget } from '../../reads/page-budget.ts';
import { answerRead } from '../../reads/reads.ts';

/** The answer to a read, with a parsed body. */
export async function answerWhole(...asked: Parameters<typeof answerRead>): Promise<ReplyMessage> {
  const [message] = asked;
  const reply = await answerRead(...asked);
  return conformingReply(message.event, withParsedBody(await decompressed(reply)), message.payload);
}

/** The same reply, as the client of a gateway that forwards it reads it. */
async function decompressed(reply: ReplyMessage | RawReply): Promise<ReplyMessage | RawReply> {
  return 'compressed' in reply ? rawReplyOf(await decompressJson(reply.compressed), reply.etag) : reply;
}

export const SECRET = 'a secret of this test';

export interface Entity {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** The fields of an answer that tests read. */
export interface PageBody {
  readonly nodes: Entity[];
  readonly links: Entity[];
  readonly hasMore: boolean;
  readonly next: string | null;
  readonly [field: string]: unknown;
}

export interface ReadSetup {
  /** A read that must succeed; null reads without an account. */
  ask(actor: ActingUser | null, event: string, payload?: object): Promise<PageBody>;
  /** The code of a read that must be refused. */
  refused(actor: ActingUser | null, event: string, payload?: object): Promise<string>;
}

/** A budget that tests do not exhaust, for pages of the default size. */
export const pagesOf = (pageBytes = 4 * 1024 * 1024) =>
  createPageBudget({ pageBytes, budgetBytes: 1_000 * pageBytes, waitMs: 1_000 });

/** `nowMs` is the time of the reads. The default is later than all test data. */
export function asking(database: Database, nowMs = Date.UTC(2026, 5, 1), pages = pagesOf()): ReadSetup {
  const answer = (actor: ActingUser | null, event: string, payload: object) =>
    answerWhole(
      { event, payload: { ...payload }, actor, deadline: Date.now() + 60_000, traceId: 'test' },
      { database, secret: SECRET, nowMs: () => nowMs, pages },
    );
  return {
    async ask(actor, event, payload = {}) {
      const reply = await answer(actor, event, payload);
      if (!reply.ok) throw new Error(`${event} was refused: ${JSON.stringify(reply)}`);
      return reply.body as unknown as PageBody;
    },
    async refused(actor, event, payload = {}) {
      const reply = await answer(actor, event, payload);
      if (reply.ok) throw new Error(`${event} was not refused`);
      return reply.error;
    },
  };
}

/** All pages of a walk by `next`, concatenated. */
export async function walk(
  { ask }: ReadSetup,
  actor: ActingUser | null,
  event: string,
  payload: { limit: number; root?: string },
): Promise<{ nodes: Entity[]; links: Entity[]; pages: number }> {
  const found = { nodes: [] as Entity[], links: [] as Entity[], pages: 0 };
  let after: string | null = null;
  do {
    const page: PageBody = await ask(actor, event, after === null ? payload : { ...payload, after });
    found.nodes.push(...page.nodes);
    found.links.push(...page.links);
    found.pages++;
    after = page.next;
  } while (after !== null);
  return found;
}

export function idsOf(entities: readonly Entity[]): string[] {
  return entities.map(({ id }) => id);
}
