// Answers reads: the catalog's, and those that gateways ask for themselves.

import { graphGet } from '@taskgraph/commands/graph-get';
import { parsePayload } from '@taskgraph/commands/payload';
import { trashPage } from '@taskgraph/commands/trash-page';
import { levelOn } from '@taskgraph/domain/access';
import { viewNode, viewPageLink, viewTrashLink, viewTrashNode } from '@taskgraph/domain/view';
import type { Database } from '@taskgraph/graph-store/database';
import { readFeeds, readHeads } from '@taskgraph/graph-store/feeds';
import { type Cursor, readGraphPage } from '@taskgraph/graph-store/graph-page';
import { readTrashPage } from '@taskgraph/graph-store/trash-page';
import { resolveToken } from '@taskgraph/graph-store/users';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { anyId } from '@taskgraph/wire/ids';
import type { ActingUser, ReadMessage, ReplyMessage } from '@taskgraph/wire/messages';
import { z } from 'zod';
import { refusalReply } from './job.ts';
import { signPosition } from './position.ts';

export interface ReadEnvironment {
  readonly database: Database;
  /** Signs positions. */
  readonly secret: string;
  readonly nowMs: () => number;
}

type Body = Record<string, unknown>;
type Reading = (message: ReadMessage, environment: ReadEnvironment) => Promise<Body | Refusal>;

/** Every read by its event. */
const readings: Readonly<Record<string, Reading>> = {
  [graphGet.event]: (message, environment) => asUser(message, (actor) => graphPage(message, actor, environment)),
  [trashPage.event]: (message, environment) => asUser(message, (actor) => readTrash(message, actor, environment)),
  'reader:feeds': (message, environment) => asUser(message, (actor) => readerFeeds(actor, environment)),
  'feeds:heads': feedHeads,
  'token:resolve': tokenOwner,
};

/** Answers one read. Rejects on bugs and on a database that is away. */
export async function answerRead(message: ReadMessage, environment: ReadEnvironment): Promise<ReplyMessage> {
  const reading = Object.hasOwn(readings, message.event) ? readings[message.event] : undefined;
  if (reading === undefined) return refusalReply(refuse('bad_request.unknown_event', 'There is no such event.'));
  const body = await reading(message, environment);
  return isRefusal(body) ? refusalReply(body) : { ok: true, body };
}

async function asUser(
  message: ReadMessage,
  read: (actor: ActingUser) => Promise<Body | Refusal>,
): Promise<Body | Refusal> {
  if (message.actor === null) return refuse('unauthorized', 'This needs an API token.');
  return read(message.actor);
}

async function graphPage(
  message: ReadMessage,
  actor: ActingUser,
  environment: ReadEnvironment,
): Promise<Body | Refusal> {
  const payload = parsePayload(graphGet, message.payload);
  if (isRefusal(payload)) return payload;
  const after = payload.after === undefined ? null : parseCursor(payload.after);
  if (isRefusal(after)) return after;
  const { database, secret, nowMs } = environment;
  // Heads first: what changes in between shows in the page or comes as a later slice, never neither.
  const heads = after === null ? await readFeeds(database, actor.id) : [];
  const page = await readGraphPage(database, {
    readerId: actor.id,
    limit: payload.limit,
    offset: payload.offset,
    after,
  });
  const now = new Date(nowMs()).toISOString();
  const viewpoint = {
    ownerNames: () => ({ username: actor.username, email: actor.email }),
    access: (node: Parameters<typeof levelOn>[0]) => levelOn(node, actor, [], now) ?? undefined,
  };
  return {
    hasMore: page.next !== null,
    next: page.next === null ? null : `${page.next.kind}:${page.next.id}`,
    nodes: page.nodes.map((node) => viewNode(node, viewpoint)),
    links: page.links.map(viewPageLink),
    ...(after === null ? { feeds: seqs(heads), position: signPosition(secret, actor.id, heads) } : {}),
  };
}

async function readTrash(
  message: ReadMessage,
  actor: ActingUser,
  environment: ReadEnvironment,
): Promise<Body | Refusal> {
  const payload = parsePayload(trashPage, message.payload);
  if (isRefusal(payload)) return payload;
  const page = await readTrashPage(environment.database, { readerId: actor.id, ...payload });
  return {
    hasMore: page.hasMore,
    nodes: page.nodes.map((node) => viewTrashNode(node, actor)),
    links: page.links.map(viewTrashLink),
  };
}

function parseCursor(text: string): Cursor | Refusal {
  const [kind, id] = text.split(':');
  const known = kind === 'node' || kind === 'link';
  if (known && anyId.safeParse(id).success) return { kind, id: (id as string).toLowerCase() };
  return refuse('bad_request.invalid_after', 'The field after must be the `next` of a page.', { path: 'after' });
}

async function readerFeeds(actor: ActingUser, environment: ReadEnvironment): Promise<Body> {
  const feeds = await readFeeds(environment.database, actor.id);
  return { feeds, position: signPosition(environment.secret, actor.id, feeds) };
}

const feedNames = z.strictObject({ feeds: z.array(z.string().max(100)).max(1_000) });

/** For gateways alone: names and numbers of feeds, without anything of their content. */
async function feedHeads(message: ReadMessage, environment: ReadEnvironment): Promise<Body | Refusal> {
  const payload = feedNames.safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A list of at most 1,000 feeds is needed.');
  return { feeds: await readHeads(environment.database, payload.data.feeds) };
}

const tokenHash = z.strictObject({ hash: z.string().regex(/^[0-9a-f]{64}$/) });

async function tokenOwner(message: ReadMessage, environment: ReadEnvironment): Promise<Body | Refusal> {
  const payload = tokenHash.safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A hash of 64 hex digits is needed.');
  return { user: await resolveToken(environment.database, payload.data.hash) };
}

function seqs(heads: readonly { feed: string; seq: number }[]): Record<string, number> {
  return Object.fromEntries(heads.map(({ feed, seq }) => [feed, seq]));
}
