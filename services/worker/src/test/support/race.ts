// Two commands on two workers that share only the database. A gate stops them before they write, so
// that each race has a fixed order. The same race without one protection proves that this
// protection enforces the rule.
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { WRITE_GROUP } from '@taskgraph/graph-store/commit/write-statement';
import type { Database, OpenTransaction, Row } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { expect } from 'vitest';
import { newId, startTestWorker } from './harness.ts';
import { findInconsistencies } from './integrity-checker.ts';
import { type Cast, createCast } from './race-users.ts';

/** One side of a race. It uses only this database, and ends with its answer. */
export type Move = (database: Database) => Promise<ReplyMessage>;

/** A command, sent to a worker of its own. */
export function command(
  actor: ActingUser,
  event: string,
  payload: object,
  options: { key?: string; id?: string } = {},
): Move {
  return (database) => startTestWorker(database).send(actor, event, payload, options);
}

/**
 * The result of a race, without ids and times: `ok` or the code of the refusal for each side, and
 * further facts.
 */
export interface RaceResult {
  readonly one: string;
  readonly other: string;
  readonly [field: string]: unknown;
}

export interface Answers {
  readonly one: ReplyMessage;
  readonly other: ReplyMessage;
}

export type Side = keyof Answers;
const SIDES: readonly Side[] = ['one', 'other'];

export interface Duel {
  readonly one: Move;
  readonly other: Move;
  /**
   * Called after both sides: the compared state, and whether the rule is broken. `first` is the
   * side that committed first.
   */
  look(answers: Answers, first: Side): Promise<{ state: object; broken: boolean }>;
}

export interface Race {
  /** Makes the race's entities, by users that no other test uses. */
  prepare(cast: Cast): Promise<Duel>;
  /** The results if the sides run one after the other. No other result is allowed. */
  readonly oneFirst: RaceResult;
  readonly otherFirst: RaceResult;
  /** The name of a broken rule. */
  readonly fault: string;
}

/** The removal of a protection. */
export interface Alteration {
  /** Whether no lock holds the second side any more. */
  readonly unlocks: boolean;
  /** Changes the statements of a worker on their way to the database. */
  change(cypher: string, parameters: Row): [cypher: string, parameters: Row];
}

const nothing: Alteration = { unlocks: false, change: (cypher, parameters) => [cypher, parameters] };

/**
 * The statements of the locks read the same rows without locking them. They create no rows, so a
 * locked e-mail must exist already.
 */
export const withoutLocks: Alteration = {
  unlocks: true,
  change: (cypher, parameters) => [notLocked(cypher), parameters],
};

/** The batches stored under a group's keys are not looked up. */
export const withoutLookUp: Alteration = {
  unlocks: false,
  change(cypher, parameters) {
    const given = parameters.in as Row | undefined;
    return [cypher, given?.keys === undefined ? parameters : { ...parameters, in: { ...given, keys: [] } }];
  },
};

/** Without locks and without the unique constraint on keys: each batch gets a unique key. */
export const withoutLocksAndConstraint: Alteration = {
  unlocks: true,
  change(cypher, parameters) {
    if (cypher !== WRITE_GROUP) return [notLocked(cypher), parameters];
    const given = parameters.in as { batches: { batch: Row }[] };
    const batches = given.batches.map((row) => ({ ...row, batch: { ...row.batch, key: newId(0) } }));
    return [cypher, { ...parameters, in: { ...given, batches } }];
  },
};

function notLocked(cypher: string): string {
  // In a transaction the statement locks no owners, and a changed text would need a new plan.
  if (cypher === WRITE_GROUP) return cypher;
  return cypher
    .replace('SET u.lock = true', '')
    .replace(/MERGE (\(p:Principal \{email: email\}\)) ON CREATE SET p\.rev = \$zero\s+SET p\.lock = true/, 'MATCH $1');
}

/**
 * Time that the first side waits for the second, which a lock holds. It is well below the bound of
 * 1 s for locks.
 */
const PATIENCE_MS = 250;

/**
 * The same without locks, when the second side always reaches the gate. It is well below the 3 s of
 * a transaction.
 */
const PATIENCE_WITHOUT_LOCKS_MS = 2_000;

/**
 * The second side waits until the first has committed, and then decides on the new state. Checks
 * both orders.
 */
export async function expectKept(database: Database, race: Race): Promise<void> {
  for (const first of SIDES) expect(await run(database, race, first)).toEqual({ violations: [], held: true });
  expect(await findInconsistencies(database)).toEqual([]);
}

/** Without the protection the rule breaks. */
export async function expectBroken(
  database: Database,
  race: Race,
  { without, firsts = SIDES }: { without: Alteration; firsts?: readonly Side[] },
): Promise<void> {
  for (const first of firsts) {
    const { violations } = await run(database, race, first, without);
    expect(violations).not.toEqual([]);
    expect(violations).toContain(race.fault);
  }
}

interface Raced {
  /** Empty if the outcome equals one serial order and the rule holds. */
  readonly violations: readonly string[];
  /**
   * Whether a lock held the second side, between its first statement and its decision, until the
   * first had passed the gate.
   */
  readonly held: boolean;
}

/**
 * Runs a race in this order: the first side decides, the second decides or is held, the first
 * commits and is answered, the second commits. So without locks both decide on the same old state.
 */
export async function run(database: Database, race: Race, first: Side, without?: Alteration): Promise<Raced> {
  const cast = createCast(database);
  try {
    const duel = await race.prepare(cast);
    const second = first === 'one' ? 'other' : 'one';
    const { replies, held } = await play(database, [duel[first], duel[second]], without ?? nothing);
    const [ofFirst, ofSecond] = replies;
    const answers = first === 'one' ? { one: ofFirst, other: ofSecond } : { one: ofSecond, other: ofFirst };
    const { state, broken } = await duel.look(answers, first);
    const outcome = { one: codeOf(answers.one), other: codeOf(answers.other), ...state };
    const isExpected = isDeepStrictEqual(outcome, first === 'one' ? race.oneFirst : race.otherFirst);
    const differs = isExpected ? [] : [`with ${first} first: ${JSON.stringify(outcome)}`];
    return { violations: [...(broken ? [race.fault] : []), ...differs], held };
  } finally {
    if (without !== undefined) await cast.clear();
  }
}

function codeOf(reply: ReplyMessage): string {
  return reply.ok ? 'ok' : reply.error;
}

async function play(
  database: Database,
  [first, second]: readonly [Move, Move],
  { unlocks, change }: Alteration,
): Promise<{ replies: [ofFirst: ReplyMessage, ofSecond: ReplyMessage]; held: boolean }> {
  const patienceMs = unlocks ? PATIENCE_WITHOUT_LOCKS_MS : PATIENCE_MS;
  const [firstDecided, secondDecided, firstDone] = [createSignal(), createSignal(), createSignal()];
  let secondAsked = false;
  let passedByTime = false;
  const decideFirst = async () => {
    firstDecided.give();
    const late = sleep(patienceMs, 'late', { ref: false });
    if ((await Promise.race([late, secondDecided.given])) === 'late') passedByTime = true;
  };
  const decideSecond = async () => {
    secondDecided.give();
    await firstDone.given;
  };
  const one = first(gated(database, { change, asks: () => undefined, decides: decideFirst })).finally(firstDone.give);
  await Promise.race([firstDecided.given, one]);
  const asks = () => {
    secondAsked = true;
  };
  const other = second(gated(database, { change, asks, decides: decideSecond })).finally(secondDecided.give);
  const replies = await Promise.all([one, other]);
  return { replies, held: secondAsked && passedByTime };
}

interface Gate {
  readonly change: Alteration['change'];
  /** Called for each statement before the gate. */
  asks(): void;
  /** Called before the write, or before the commit of a single statement. */
  decides(): Promise<void>;
}

function gated(inner: Database, { change, asks, decides }: Gate): Database {
  const begin = (timeoutMs?: number): OpenTransaction => {
    const transaction = inner.begin(timeoutMs);
    const write: OpenTransaction['run'] = async (cypher, parameters) => {
      await decides();
      return transaction.run(...change(cypher, parameters));
    };
    const ask: OpenTransaction['run'] = (cypher, parameters) => {
      asks();
      return transaction.run(...change(cypher, parameters));
    };
    return { ...transaction, run: (cypher, parameters) => (cypher === WRITE_GROUP ? write : ask)(cypher, parameters) };
  };
  return {
    ...inner,
    begin,
    async write(cypher, parameters) {
      const transaction = inner.begin();
      try {
        asks();
        const rows = await transaction.run(cypher, parameters);
        await decides();
        await transaction.commit();
        return rows;
      } catch (error) {
        await transaction.rollback();
        throw error;
      }
    },
  };
}

/** An event that happens once, when `give` is called. */
export function createSignal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}
