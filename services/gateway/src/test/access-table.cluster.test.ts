// Who may do what, against a running stack: every case of the access table by REST and over the SDK's socket, and LNK3's table of
// private links.
import { setTimeout as sleep } from 'node:timers/promises';
import { connectSdk, type SdkConnection } from '@taskgraph/testkit/stack/sdk';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  COLUMNS,
  type Column,
  ENDS_AFTER_MS,
  type Fixture,
  makeFixture,
  type People,
  SECRET,
} from './support/access-fixture.ts';
import { PRIVACY, type Row, TABLE, UNKNOWN_IDS } from './support/access-table.ts';
import { type Answer, type Body, type Call, restCall, verdictOf, WAYS, type Way } from './support/calling.ts';

/** One user, by either way. */
interface Account extends Readonly<Record<Way, Call>> {
  readonly email: string;
}

/** Each column has its owner and its caller among them: nobody gets too many grants, and commands spread over the workers. */
const ACCOUNTS = 5;
const FIXTURES_AT_ONCE = 96;
const READS = new Set(['branch:get', 'history:page', 'node:access:list']);

let stack: TestStack;
const accounts: Account[] = [];
const connections: SdkConnection[] = [];
/** By case; a text says why there is none. */
const fixtures = new Map<string, Fixture | string>();

const outcomeOf = (row: Row, column: Column) => row.outcomes.split(' ')[COLUMNS.indexOf(column)];
/** Both ways ask of one fixture where they change nothing; what does change something has its own. */
const changes = (row: Row, column: Column) =>
  outcomeOf(row, column) === '+' && row.then === null && !READS.has(row.event);
const keyOf = (row: Row, column: Column, way: Way) =>
  `${TABLE.indexOf(row)} ${column} ${changes(row, column) ? way : 'both'}`;
const accountAt = (index: number) => accounts[index % ACCOUNTS] as Account;
const ownerIn = (column: Column) => accountAt(COLUMNS.indexOf(column));
const callerIn = (column: Column) => (column === 'owner' ? ownerIn(column) : accountAt(COLUMNS.indexOf(column) + 1));

beforeAll(async () => {
  // A busy machine may take its time with the first statements.
  stack = await startTestStack({ environment: { COMMAND_DEADLINE_MS: '60000' } });
  const names = Array.from({ length: ACCOUNTS }, (_, index) => `user${index}`);
  accounts.push(...(await Promise.all(names.map(accountOf))));
  await makeFixtures();
});
afterAll(async () => {
  for (const connection of connections) connection.close();
  await stack?.stop();
});

async function accountOf(name: string): Promise<Account> {
  const email = `${name}@example.com`;
  const [url, token] = [stack.urls[0] as string, await stack.token(email)];
  const connection = await connectSdk({ url, token });
  connections.push(connection);
  const socket: Call = async (event, payload): Promise<Answer> => {
    const body = (await connection.call(event, payload)) as Body;
    return { status: null, body, text: JSON.stringify(body) };
  };
  return { email, REST: restCall(url, token), socket };
}

/** Makes what each case stands on; first what takes its time to end. */
async function makeFixtures(): Promise<void> {
  const makings = TABLE.flatMap((row) =>
    COLUMNS.filter((column) => outcomeOf(row, column) !== '-').flatMap((column) =>
      WAYS.slice(changes(row, column) ? 0 : 1).map((way) => ({ column, make: () => makeFor(row, column, way) })),
    ),
  );
  const lanes = async (chosen: typeof makings) => {
    const rest = chosen.values();
    await Promise.all(
      Array.from({ length: FIXTURES_AT_ONCE }, async () => {
        for (const { make } of rest) await make();
      }),
    );
  };
  // One of each kind by itself, so that not all have to wait until the database has planned its statements.
  for (const column of COLUMNS) await makings.find((making) => making.column === column)?.make();
  await lanes(makings.filter(({ column }) => column === 'expired'));
  const endsMs = Date.now() + ENDS_AFTER_MS;
  await lanes(makings.filter(({ column }) => column !== 'expired'));
  await sleep(Math.max(0, endsMs - Date.now()));
}

async function makeFor(row: Row, column: Column, way: Way): Promise<void> {
  const [owner, caller] = [personOf(ownerIn(column)), personOf(callerIn(column))];
  const people: People = { owner, caller: column === 'owner' ? owner : caller, guest: 'guest@example.com' };
  const made = await makeFixture(column, row.steps, people).catch((error: unknown) => `no fixture: ${error}`);
  fixtures.set(keyOf(row, column, way), made);
}

const personOf = ({ email, REST }: Account) => ({ email, call: REST });

test.each(TABLE)('[ACL1 GEN7] $title', async (row) => {
  const cases = COLUMNS.filter((column) => outcomeOf(row, column) !== '-').flatMap((column) =>
    WAYS.map((way) => ({ column, way, name: `${column} by ${way}` })),
  );
  const codes: Record<string, string | null> = { '+': row.then, F: 'forbidden', N: 'not_found' };
  codes.S = 'bad_request.invalid_scope';
  const expected = cases.map(({ name, column }) => [name, codes[outcomeOf(row, column) as string]]);
  const found = await Promise.all(
    cases.map(async ({ column, way, name }) => {
      const fixture = fixtures.get(keyOf(row, column, way));
      if (fixture === undefined || typeof fixture === 'string') return [name, fixture];
      const answer = await callerIn(column)[way](row.event, row.payload(fixture));
      const told = !answer.body.ok && answer.text.includes(SECRET) ? ' and tells a title' : '';
      return [name, told === '' ? verdictOf(answer) : `${verdictOf(answer)}${told}`];
    }),
  );
  expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
});

async function nodeOf(account: Account): Promise<string> {
  const { body } = await account.REST('node:add', {});
  return (body.diff as { nodes: { after: { id: string } }[] }).nodes[0]?.after.id as string;
}

test('[GEN7 GEN3] an id that nothing has is a 404 for everything that names one entity', async () => {
  const owner = accountAt(0);
  const known = await nodeOf(owner);
  const names = UNKNOWN_IDS.map(([event, payload]) => `${event} ${JSON.stringify(payload('known'))}`);
  for (const way of WAYS) {
    const found = await Promise.all(
      UNKNOWN_IDS.map(async ([event, payload]) => verdictOf(await owner[way](event, payload(known)))),
    );
    expect(names.map((name, index) => [way, name, found[index]])).toEqual(
      names.map((name) => [way, name, 'not_found']),
    );
  }
});

test('[HIS8] of a scope that nothing has there is no history', async () => {
  for (const scopeType of ['GRAPH', 'NODE', 'LINK', 'USER', 'EVERYTHING']) {
    for (const way of WAYS) {
      const answer = await accountAt(0)[way]('history:page', {
        scopeType,
        scopeId: '01890000-0000-7123-8000-000000000002',
      });
      expect([scopeType, way, verdictOf(answer)]).toEqual([scopeType, way, 'bad_request.invalid_scope']);
    }
  }
});

test('[LNK9 GEN7] a private link on one’s own nodes is a 404 to their owner, if it is another’s', async () => {
  const [owner, caller] = [accountAt(0), accountAt(1)];
  const [source, target] = [await nodeOf(owner), await nodeOf(owner)];
  for (const id of [source, target]) await owner.REST('node:access', { id, email: caller.email, level: 1 });
  const { body } = await caller.REST('link:add', { source, target, private: true });
  const id = (body.diff as { links: { after: { id: string } }[] }).links[0]?.after.id;
  for (const event of ['link:trash', 'link:restore', 'link:swap', 'link:delete', 'link:update']) {
    const payload = event === 'link:update' ? { id, private: false } : { id };
    for (const way of WAYS) expect([event, verdictOf(await owner[way](event, payload))]).toEqual([event, 'not_found']);
  }
});

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
