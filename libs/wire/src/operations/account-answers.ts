// The answers of account operations. Their schemas are closed.
import { z } from 'zod';
import { CALENDAR_ENTRIES } from '../account-fields.ts';
import { PLAN_UNITS } from '../codes.ts';
import { id, time } from '../entities.ts';
import { SCOPES } from '../scopes.ts';
import { answer } from './answers.ts';

/** A user as everyone may see themselves. */
export const user = z.strictObject({ id, email: z.string(), username: z.string() });
export const admin = z.boolean().describe('Whether the user is an administrator.');
export const lastUsed = time
  .nullable()
  .describe('When it last opened a request or a connection, accurate to a minute.');

export const scope = z.enum(SCOPES).meta({ id: 'Scope', description: 'A set of calls that a token may make.' });

export const prefix = z.string().describe('The beginning of its text, to distinguish tokens.');
export const ends = time.nullable().describe('When it ends; null for never.');

const token = z
  .strictObject({
    id,
    name: z.string(),
    prefix,
    createdTime: time,
    expires: ends,
    readOnly: z.boolean().describe('Whether it is read-only: its only scope is `read`.'),
    scopes: z.array(scope).describe('Its scopes.'),
    lastUsed,
  })
  .meta({ id: 'ApiToken', description: 'A token without its text.' });

const session = z
  .strictObject({
    id,
    createdTime: time,
    expires: time,
    lastUsed,
    current: z.boolean().describe('Whether it is the session of this request.'),
  })
  .meta({ id: 'Session' });

export const done = answer({}).meta({ id: 'Done', description: 'The operation succeeded.' });

export const signedIn = answer({
  session: z.string().describe('A session token, accepted wherever a token is.'),
  expires: time,
  user,
}).meta({ id: 'SignedIn' });

export const me = answer({ user: z.strictObject({ ...user.shape, admin }) }).meta({ id: 'Me' });
export const registered = answer({ user }).meta({ id: 'Registered' });
export const sessions = answer({ sessions: z.array(session) }).meta({ id: 'Sessions' });
export const tokens = answer({ tokens: z.array(token) }).meta({ id: 'ApiTokens' });
export const newToken = answer({
  token,
  plaintext: z.string().describe('The text of the token. The service never shows it again.'),
}).meta({ id: 'NewApiToken' });

const bot = z
  .strictObject({
    id,
    name: z.string(),
    email: z.string().describe('Its address, for grants. It receives no mail.'),
    createdTime: time,
  })
  .meta({ id: 'Bot', description: 'A user without sign-in, for programs.' });
export const bots = answer({ bots: z.array(bot) }).meta({ id: 'Bots' });
export const newBot = answer({ bot }).meta({ id: 'NewBot' });

const calendar = z
  .strictObject({
    id,
    name: z.string(),
    root: id.nullable().describe('The root of its branch; null for the whole graph.'),
    where: z.record(z.string(), z.unknown()).nullable().describe('Its conditions, as `node:find` takes them.'),
    as: z.enum(CALENDAR_ENTRIES).describe('Whether its entries are events or tasks.'),
    planned: z
      .strictObject({
        start: time.nullable().describe('Null for the beginning of the current day.'),
        unit: z.enum(PLAN_UNITS),
      })
      .nullable()
      .describe('The plan whose bars it has; null for none.'),
    createdTime: time,
    lastUsed: time.nullable().describe('When a program last asked for it at its present address, accurate to an hour.'),
  })
  .meta({ id: 'Calendar', description: 'A calendar without its address.' });
export const calendars = answer({ calendars: z.array(calendar) }).meta({ id: 'Calendars' });
export const newCalendar = answer({
  calendar,
  url: z.string().describe('Its address, for calendar programs. The service never shows it again.'),
}).meta({ id: 'NewCalendar' });

const rate = z.strictObject({ calls: z.int().min(1), seconds: z.int().min(1) });
const size = z.int().min(1);

export const capabilities = answer({
  version: z.string().describe("The service's version."),
  registration: z.boolean().describe('Whether people can register (`POST /api/register`).'),
  mail: z.boolean().describe('Whether the service mails links, for registrations and forgotten passwords.'),
  provider: z
    .strictObject({ name: z.string().describe('Its name for people.') })
    .nullable()
    .describe('The provider for signing in by `GET /api/oidc/login`; null if there is none.'),
  docs: z.boolean().describe('Whether the service has the page `/docs`.'),
  console: z.boolean().describe('Whether the service has a console for browsers.'),
  limits: z.strictObject({
    rates: z
      .record(z.string(), rate)
      .nullable()
      .describe('The rate limits by name (docs/limits.md); null if they are off.'),
    bodyBytes: size.describe('Bytes of a request body, and of a packet over a socket.'),
    socketPageBytes: size.describe('Approximate bytes of a page over a socket.'),
    pageEntities: size.describe('Nodes and links of a page of the graph.'),
    nodesById: size.describe('Nodes of one `node:get`.'),
    batchOperations: size.describe('Operations of one `batch:run`.'),
  }),
}).meta({ id: 'Capabilities', description: 'What this service offers, and its public limits.' });
