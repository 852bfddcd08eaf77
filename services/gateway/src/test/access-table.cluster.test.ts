// The access table on a running stack: for each row an allowed and a refused case, by REST and by
// socket; all cases of reads; and LNK3's table of private links. access-table.test.ts covers the
// rest in memory.
import { setTimeout as sleep } from 'node:timers/promises';
import { connectSdk, type SdkConnection } from '@taskgraph/testkit/stack/sdk';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COLUMNS, type Column, type Fixture, makeFixture, type People, SECRET } from './support/access-fixture.ts';
import { isRead, outcomeIn, type Row, TABLE, UNKNOWN_IDS, wantedOf } from './support/access-table.ts';
import {
  type Body,
  type Call,
  restCall,
  TRANSPORTS,
  type Transport,
  type TransportAnswer,
  verdictOf,
} from './support/calls.ts';

/** One user, by either way. */
interface Account extends Readonly<Record<Transport, Call>> {
  readonly email: string;
}

/** A row of the table, a caller and a transport. */
interface Case {
  readonly row: Row;
  readonly column: Column;
  readonly way: Transport;
}

/**
 * Each column has its owner and its caller among them: nobody gets too many grants, and commands
 * spread over the workers.
 */
const ACCOUNTS = 5;
const FIXTURES_AT_ONCE = 32;
/** The lifetime of a grant that ends during the test: long enough to create the fixtures. */
const ENDS_AFTER_MS = 15_000;

const stack = sharedStack();
const accounts: Account[] = [];
const connections: SdkConnection[] = [];
/** A text says why there is none. */
const fixtures = new Map<Case, Fixture | string>();

const accountAt = (index: number) => accounts[index % ACCOUNTS] as Account;
const ownerIn = (column: Column) => accountAt(COLUMNS.indexOf(column));
const callerIn = (column: Column) => (column === 'owner' ? ownerIn(column) : accountAt(COLUMNS.indexOf(column) + 1));

/**
 * The cases that memory decides come here once as done and once as refused, by the two ways, from
 * row to row by another column: reads in full.
 */
const CASES: readonly Case[] = TABLE.flatMap((row, index) => {
  if (isRead(row)) return columnsOf(row).flatMap((column) => TRANSPORTS.map((way) => ({ row, column, way })));
  const [done, refused] = [true, false].map((isDone) =>
    columnsOf(row).filter((column) => (outcomeIn(row, column) === '+') === isDone),
  ) as [Column[], Column[]];
  return [done, refused].flatMap((columns, turn) => {
    const column = columns[index % Math.max(1, columns.length)];
    return column === undefined ? [] : [{ row, column, way: TRANSPORTS[(index + turn) % 2] as Transport }];
  });
});

function columnsOf(row: Row): Column[] {
  return COLUMNS.filter((column) => outcomeIn(row, column) !== '-');
}

beforeAll(async () => {
  const names = Array.from({ length: ACCOUNTS }, (_, index) => `user${index}`);
  accounts.push(...(await Promise.all(names.map(accountOf))));
  await makeFixtures();
});
afterAll(() => {
  for (const connection of connections) connection.close();
});

async function accountOf(name: string): Promise<Account> {
  const email = emailOf(name);
  const [url, token] = [stack.urls[0] as string, await stack.token(email)];
  const connection = await connectSdk({ url, token });
  connections.push(connection);
  const socket: Call = async (event, payload): Promise<TransportAnswer> => {
    const body = (await connection.call(event, payload)) as Body;
    return { status: null, body, text: JSON.stringify(body) };
  };
  return { email, REST: restCall(url, token), socket };
}

/** Creates the fixture of each case, first the ones that take time to end. */
async function makeFixtures(): Promise<void> {
  const make = async (chosen: readonly Case[]) => {
    const rest = chosen.values();
    await Promise.all(
      Array.from({ length: FIXTURES_AT_ONCE }, async () => {
        for (const each of rest) await makeFor(each);
      }),
    );
  };
  await make(CASES.filter(({ column }) => column === 'expired'));
  const endsMs = Date.now() + ENDS_AFTER_MS;
  await make(CASES.filter(({ column }) => column !== 'expired'));
  await sleep(Math.max(0, endsMs - Date.now()));
}

async function makeFor(each: Case): Promise<void> {
  const { row, column } = each;
  const [owner, caller] = [personOf(ownerIn(column)), personOf(callerIn(column))];
  const soon = () => new Date(Date.now() + ENDS_AFTER_MS).toISOString();
  const people: People = { owner, caller: column === 'owner' ? owner : caller, guest: emailOf('guest'), soon };
  const made = await makeFixture(column, row.steps, people).catch((error: unknown) => `no fixture: ${error}`);
  fixtures.set(each, made);
}

const personOf = ({ email, REST }: Account) => ({ email, call: REST });

test.each(TABLE)('[ACL1 GEN7] $title', async (row) => {
  const cases = CASES.filter((each) => each.row === row);
  const named = cases.map((each) => ({ ...each, name: `${each.column} by ${each.way}`, fixture: fixtures.get(each) }));
  const found = await Promise.all(
    named.map(async ({ column, way, name, fixture }) => {
      if (fixture === undefined || typeof fixture === 'string') return [name, fixture];
      const answer = await callerIn(column)[way](row.event, row.payload(fixture));
      const told = !answer.body.ok && answer.text.includes(SECRET) ? ' and tells a title' : '';
      return [name, told === '' ? verdictOf(answer) : `${verdictOf(answer)}${told}`];
    }),
  );
  const expected = named.map(({ name, column }) => [name, wantedOf(row, column)]);
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
});

async function nodeOf(account: Account): Promise<string> {
  const { body } = await account.REST('node:add', {});
  return (body.diff as { nodes: { after: { id: string } }[] }).nodes[0]?.after.id as string;
}

test('[GEN7 GEN3] an unknown id is a 404 for every call that names one entity', async () => {
  const owner = accountAt(0);
  const known = await nodeOf(owner);
  const names = UNKNOWN_IDS.map(([event, payload]) => `${event} ${JSON.stringify(payload('known'))}`);
  for (const way of TRANSPORTS) {
    const found = await Promise.all(
      UNKNOWN_IDS.map(async ([event, payload]) => verdictOf(await owner[way](event, payload(known)))),
    );
    expect(names.map((name, index) => [way, name, found[index]])).toEqual(
      names.map((name) => [way, name, 'not_found']),
    );
  }
});

test('[HIS8] an unknown scope has no history', async () => {
  for (const scopeType of ['GRAPH', 'NODE', 'LINK', 'USER', 'EVERYTHING']) {
    for (const way of TRANSPORTS) {
      const answer = await accountAt(0)[way]('history:page', {
        scopeType,
        scopeId: '01890000-0000-7123-8000-000000000002',
      });
      expect([scopeType, way, verdictOf(answer)]).toEqual([scopeType, way, 'bad_request.invalid_scope']);
    }
  }
});

test('[LNK9 GEN7] a private link of another user is a 404 to the owner of its nodes', async () => {
  const [owner, caller] = [accountAt(0), accountAt(1)];
  const [source, target] = [await nodeOf(owner), await nodeOf(owner)];
  for (const id of [source, target]) await owner.REST('node:access', { id, email: caller.email, level: 1 });
  const { body } = await caller.REST('link:add', { source, target, private: true });
  const id = (body.diff as { links: { after: { id: string } }[] }).links[0]?.after.id;
  for (const event of ['link:trash', 'link:restore', 'link:swap', 'link:delete', 'link:update']) {
    const payload = event === 'link:update' ? { id, private: false } : { id };
    for (const way of TRANSPORTS)
      expect([event, verdictOf(await owner[way](event, payload))]).toEqual([event, 'not_found']);
  }
});

/**
 * The document's table of POST /api/link: the caller's level on the source, on the target, and
 * whether `private` is forced.
 */
const PRIVACY: readonly (readonly [source: number, target: number, forced: boolean])[] = [
  [0, 0, false],
  [0, 1, false],
  [0, 2, false],
  [0, 3, true],
  [1, 0, false],
  [1, 1, false],
  [1, 2, false],
  [1, 3, true],
  [2, 0, false],
  [2, 1, false],
  [2, 2, false],
  [2, 3, true],
  [3, 0, false],
  [3, 1, true],
  [3, 2, true],
  [3, 3, true],
];

const cells = PRIVACY.flatMap(([source, target, forced]) =>
  [undefined, false, true].map((wanted) => ({ source, target, wanted, forced })),
);

test('[LNK3] POST /api/link: the sixteen cells, with private given and not', async () => {
  const [owner, caller] = [accountAt(2), accountAt(3)];
  const nodeAt = async (level: number) => {
    if (level === 0) return nodeOf(caller);
    const id = await nodeOf(owner);
    await owner.REST('node:access', { id, email: caller.email, level, branch: false });
    return id;
  };
  const found = await Promise.all(
    cells.map(async (cell) => {
      const [source, target] = await Promise.all([nodeAt(cell.source), nodeAt(cell.target)]);
      const given = cell.wanted === undefined ? {} : { private: cell.wanted };
      const { body } = await caller.REST('link:add', { source, target, ...given });
      const { after } = (body.diff as { links: { after: Record<string, unknown> }[] }).links[0] ?? {};
      return { ...cell, private: after?.private, type: after?.type };
    }),
  );
  expect(found).toEqual(
    cells.map((cell) => ({
      ...cell,
      private: cell.forced || cell.wanted === true,
      type: cell.target === 3 ? 1 : 0,
    })),
  );
});
