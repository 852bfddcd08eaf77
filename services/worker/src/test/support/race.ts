// Two commands on two workers that share nothing but the database, stopped at a gate before they write, so that a race goes the same
// way each time; and the same race with a protection taken out, which shows that it is this one that keeps the rule.
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

/** One side of a race: all that it does, it does on this database, and it is over when it has its answer. */
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

/** The result of a race, without ids and times: how each side was answered, `ok` or the code of the refusal, and what else tells. */
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
  /** Asked when both are over: what is compared, and whether the rule is broken. `first` is who committed first. */
  look(answers: Answers, first: Side): Promise<{ state: object; broken: boolean }>;
}

export interface Race {
  /** Makes all that the race needs, by users whom no other test knows. */
  prepare(cast: Cast): Promise<Duel>;
  /** The results if one side begins when the other is over: nothing else is allowed. */
  readonly oneFirst: RaceResult;
  readonly otherFirst: RaceResult;
  /** The name of a broken rule. */
  readonly fault: string;
}

/** A protection that is taken out. */
export interface Alteration {
  /** Whether the second side is no longer held by a lock. */
  readonly unlocks: boolean;
  /** Changes the statements of a worker on their way to the database. */
  change(cypher: string, parameters: Row): [cypher: string, parameters: Row];
}

const nothing: Alteration = { unlocks: false, change: (cypher, parameters) => [cypher, parameters] };

/** The locks read the same rows and lock nothing. An e-mail that is locked must be known already: nothing is made for it. */
export const withoutLocks: Alteration = {
  unlocks: true,
  change: (cypher, parameters) => [notLocked(cypher), parameters],
};

/** The batches that are stored under a group's keys are not looked up. */
export const withoutLookUp: Alteration = {
  unlocks: false,
  change(cypher, parameters) {
    const given = parameters.in as Row | undefined;
    return [cypher, given?.keys === undefined ? parameters : { ...parameters, in: { ...given, keys: [] } }];
  },
};

/** Neither locks nor the unique constraint on keys: each batch gets a key that no other has. */
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
  // In a transaction it has no owners to lock, and another text would have to be planned.
  if (cypher === WRITE_GROUP) return cypher;
  return cypher
    .replace('SET u.lock = true', '')
    .replace(/MERGE (\(p:Principal \{email: email\}\)) ON CREATE SET p\.rev = \$zero\s+SET p\.lock = true/, 'MATCH $1');
}

/** The first side waits so long for the second, which is held by a lock. It leaves time within the bound of 1 s that a lock is waited for. */
const PATIENCE_MS = 250;

/** Where nothing holds the second side, it comes to the gate in any case; well within a transaction's 3 s. */
const PATIENCE_WITHOUT_LOCKS_MS = 2_000;

/** Whichever is first, the second is held until the first has committed, and then decides on what the first left. */
export async function expectKept(database: Database, race: Race): Promise<void> {
  for (const first of SIDES) expect(await run(database, race, first)).toEqual({ violations: [], held: true });
  expect(await findInconsistencies(database)).toEqual([]);
}

/** The assertions above do not hold any more when a protection is taken out. */
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
  /** Empty where the outcome is that of the two, one after the other, and the rule holds. */
  readonly violations: readonly string[];
  /** Whether the second side was held, between its first statement and its decision, until the first had passed the gate. */
  readonly held: boolean;
}

/**
 * Runs a race so: the first decides; the second comes to its decision, or is held; the first commits and is answered; the second
 * commits. So without locks both decide on the same old state.
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
  /** Told of each statement before the gate. */
  asks(): void;
  /** All that is left is to write, or for a single statement, to commit. */
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

function createSignal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}
