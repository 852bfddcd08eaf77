// The session of the call, and the id of the request, in what account routes send to workers.
import { saltOf } from '@taskgraph/runtime/security/passwords';
import { ACCOUNT_MESSAGES, type AccountEvent } from '@taskgraph/wire/bus/account-messages';
import type { ReadMessage } from '@taskgraph/wire/bus/calls';
import { EXAMPLE } from '@taskgraph/wire/operations/examples';
import { expect, test } from 'vitest';
import { countInFlight } from '../calls/in-flight.ts';
import { noBackOff } from '../limits/back-off.ts';
import type { AccountRoute, RequestContext } from './route.ts';
import { createAccounts } from './table.ts';

const SESSION = '01985f1a-0000-7a11-8000-000000000001';
const SECRET = 'a secret of this test';
const SALT = saltOf('$argon2id$v=19$m=19456,t=2,p=1$c2FsdHNhbHQ$aGFzaA');
const USER = { id: EXAMPLE.ann, username: 'ann', email: EXAMPLE.email };
const IDENTITY = { user: USER, token: { id: SESSION, kind: 'session', readOnly: false, expires: null } } as const;

let ids = 0;
const sent: ReadMessage[] = [];
const { accountRoutes } = createAccounts({
  settings: {
    secret: SECRET,
    sessionDays: 1,
    cookies: { isSecure: false },
    mailing: null,
    mayRegister: false,
    publicUrl: null,
    openid: null,
  },
  service: { docs: false, console: false, rates: null },
  requester: {
    async read(message) {
      sent.push(message);
      return message.event === 'account:find'
        ? { ok: true, body: { account: { id: USER.id, disabled: false, salt: SALT } } }
        : { ok: false, error: 'not_found', message: 'There is no such thing.' };
    },
  },
  deadlineMs: 1_000,
  newId: () => `01985f1a-0000-7a11-8000-${String(++ids).padStart(12, '0')}`,
  backOff: noBackOff,
  inFlight: countInFlight(),
  audit: () => undefined,
  log: { error: () => undefined },
});
const context: RequestContext = {
  traceId: 't',
  arrivedMs: Date.now(),
  cookie: '',
  host: 'localhost',
  query: '',
  etags: [],
  note: () => undefined,
  answerFrom: () => undefined,
  identify: () => undefined,
};

const authenticated = accountRoutes.filter(({ caller }) => caller !== 'anybody');

/** The messages of a call with the example of its route, and with each of the other fields. */
async function messagesOf(route: AccountRoute): Promise<ReadMessage[]> {
  sent.length = 0;
  for (const more of [{}, { bot: EXAMPLE.bot }, { id: EXAMPLE.tokenId }]) {
    const payload = route.payload.safeParse({ ...route.example, ...more });
    if (payload.success) await route.perform(payload.data, IDENTITY, context);
  }
  return [...sent];
}

/** The fields of a payload. */
const fieldsOf = (event: AccountEvent) => Object.keys(ACCOUNT_MESSAGES[event].payload.shape);
/** Events of which no route with a session sends a message. */
const WITHOUT_SESSION = ['find', 'session', 'link', 'register', 'verify', 'vouch', 'reset'].map(
  (name) => `account:${name}`,
);

test.each(authenticated.map((route) => [route.name, route] as const))(
  '[AUTH2 AUTH6] %s names the session of the call, and its request, where workers check them',
  async (_name, route) => {
    const messages = await messagesOf(route);
    expect(messages.length).toBeGreaterThan(0);
    const requests = new Set<unknown>();
    for (const { event, payload } of messages) {
      const fields = fieldsOf(event as AccountEvent);
      if (fields.includes('caller')) expect(payload.caller, event).toBe(SESSION);
      if (fields.includes('session')) expect(payload.session, event).toBe(SESSION);
      if (!fields.includes('request')) continue;
      expect(payload.request, event).toMatch(/^01985f1a-0000-7a11-8000-/);
      expect(requests.has(payload.request)).toBe(false);
      requests.add(payload.request);
    }
  },
);

test('[AUTH2 AUTH6] these calls send every operation of a session', async () => {
  const seen = new Set<string>();
  for (const route of authenticated) for (const { event } of await messagesOf(route)) seen.add(event);
  const events = Object.keys(ACCOUNT_MESSAGES).filter((event) => !WITHOUT_SESSION.includes(event));
  expect(events.filter((event) => !seen.has(event))).toEqual([]);
});
