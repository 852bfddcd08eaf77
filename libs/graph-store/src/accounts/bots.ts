// Bots: users without sign-in, which a user maintains. They are users in every other respect.
// Rules: BOT1, BOT2.
//
// A bot names its maintainer, and the maintainer lists the bots, so that neither look-up needs an
// index. A removed bot stays as a disabled user, because history names it.
import { botAddress } from '@taskgraph/wire/account-fields';
import { integer } from '../driver/codec.ts';
import type { Database, OpenTransaction, Row } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';
import { type AccountCall, executeCall } from './account-calls.ts';
import { ENSURE_USER, ensureUserParameters } from './users.ts';

/** Maximum bots of a user, without removed ones. */
export const MAXIMUM_BOTS = 20;

/** A bot as its maintainer sees it. */
export interface BotFacts {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** ISO 8601 UTC. */
  readonly createdTime: string;
}

/**
 * In: userId. Out: bot, the properties of each bot, oldest first. Locks: none. Cost: an index
 * look-up for each.
 */
const LIST_BOTS = `MATCH (u:User {id: $userId})
UNWIND coalesce(u.bots, []) AS id
MATCH (b:User {id: id}) RETURN properties(b) AS bot ORDER BY b.createdTime, b.id`;

/** The bots of a user. */
export async function listBots(database: Database, userId: string): Promise<BotFacts[]> {
  return (await database.read(LIST_BOTS, { userId })).map(({ bot }) => factsOf(bot as Row));
}

/**
 * In: userId, id. Out: id, if the user maintains this bot. Locks: none. Cost: one index look-up.
 */
const FIND_BOT = 'MATCH (u:User {id: $userId}) WHERE $id IN u.bots RETURN $id AS id';

/** Whether a user maintains a bot that is not removed. */
export async function isMaintainer(
  database: Database,
  { userId, bot }: { userId: string; bot: string },
): Promise<boolean> {
  return (await database.read(FIND_BOT, { userId, id: bot })).length > 0;
}

/**
 * In: userId, id, most. Out: id of the user; no row at the limit. Locks: the User, so that
 * concurrent requests count each other. Cost: constant.
 */
const RECORD_BOT = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u, coalesce(u.bots, []) AS bots WHERE $id IN bots OR size(bots) < $most
SET u.bots = CASE WHEN $id IN bots THEN bots ELSE bots + $id END
RETURN u.id AS id`;

/** In: id, userId. Out: bot, its properties. Locks: the new User. Cost: one index look-up. */
const NAME_MAINTAINER = 'MATCH (b:User {id: $id}) SET b.maintainer = $userId RETURN properties(b) AS bot';

/** A bot to create. */
interface NewBot extends Pick<AccountCall, 'userId' | 'caller' | 'now'> {
  readonly id: string;
  readonly name: string;
}

/**
 * Creates a bot; `full` at the limit. `ended`: the session of the call has ended. A repetition with the same
 * id creates one bot, and leaves one that was removed since removed.
 */
export function addBot(database: Database, { caller, ...bot }: NewBot): Promise<BotFacts | 'full' | 'ended'> {
  const call = { userId: bot.userId, caller, request: bot.id, now: bot.now };
  return executeCall(database, call, (transaction, isRepeated) => createBot(transaction, bot, isRepeated));
}

async function createBot(
  transaction: OpenTransaction,
  { userId, id, name, now }: Omit<NewBot, 'caller'>,
  isRepeated: boolean,
): Promise<BotFacts | 'full'> {
  if (!isRepeated) {
    const [recorded] = await transaction.run(RECORD_BOT, { userId, id, most: integer(MAXIMUM_BOTS) });
    if (recorded === undefined) return 'full';
  }
  const wanted = { id, username: name, email: botAddress({ id, name }), now };
  await transaction.run(ENSURE_USER, ensureUserParameters(wanted));
  const [row] = await transaction.run(NAME_MAINTAINER, { id, userId });
  if (row === undefined) throw new Error(`the bot ${id} was not created`);
  return factsOf(row.bot as Row);
}

/**
 * In: userId, id, now. Out: id; no row if the user never had this bot. Locks: the User, the bot,
 * then its Tokens and sources of imports. Cost: their number.
 */
const REMOVE_BOT = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u
MATCH (b:User {id: $id}) WHERE b.maintainer = u.id
SET u.bots = [id IN coalesce(u.bots, []) WHERE id <> $id], b.disabled = true
WITH b
CALL (b) {
  MATCH (b)-[:HAS_TOKEN]->(t:Token) WHERE t.revoked IS NULL
  SET t.revoked = $now REMOVE t.hash
}
CALL (b) {
  MATCH (b)-[has:HAS_IMPORT]->(s:ImportSource)
  SET s.deleted = $now, s.userId = b.id
  DELETE has
  MERGE (b)-[:DELETED_IMPORT]->(s)
}
RETURN b.id AS id`;

/** Removes a bot and ends its tokens; false if the user never had it. Safe to repeat. */
export async function removeBot(
  database: Database,
  input: { readonly userId: string; readonly id: string; readonly now: string },
): Promise<boolean> {
  return (await retry(() => database.write(REMOVE_BOT, { ...input }))).length > 0;
}

function factsOf(bot: Row): BotFacts {
  const { id, username, email, createdTime } = bot as Record<string, string>;
  return { id: id as string, name: username as string, email: email as string, createdTime: createdTime as string };
}
