// Creates a user if absent, with a verified e-mail, and prints a new API token as the last line.
// Rules: AUTH1, AUTH2.
import { createHash } from 'node:crypto';
import { parseArgs } from 'node:util';
import { addToken } from '@taskgraph/graph-store/accounts/tokens';
import { newTokenText, shownPrefix } from '@taskgraph/runtime/security/tokens';
import { onOneLine } from '@taskgraph/wire/control-characters';
import { timestamp } from '@taskgraph/wire/fields';
import { isReadOnly, SCOPES, type Scope } from '@taskgraph/wire/scopes';
import { writeAudit } from './audit-log.ts';
import { connect } from './connection.ts';
import { givenPassword, passwordOptions } from './given-password.ts';
import { checkUser, findOrMakeUser, givePassword, newId } from './users.ts';

const USAGE = `usage: npm run token -- --email someone@example.com [--username someone] [--name text] [--read-only | --scopes read,edit]
                    [--expires 2030-01-01T00:00:00Z] [--password-stdin | --password P]`;

async function main(): Promise<void> {
  const { email, username, password, name, scopes, expires } = await readArguments();
  const { database } = connect();
  try {
    const user = await findOrMakeUser(database, { email, username });
    if (password !== undefined) await givePassword(database, user.id, password);
    const text = newTokenText();
    const hash = createHash('sha256').update(text).digest('hex');
    const token = { id: newId(0), hash, prefix: shownPrefix(text), name, expires, ...scopes };
    if ((await addToken(database, { userId: user.id, token }, Date.now())) === null) {
      throw new Error(`${email} has too many tokens; revoke some first.`);
    }
    const changes = password === undefined ? [] : ['password'];
    writeAudit('admin:token', 'npm run token', { userId: user.id, tokenId: token.id, ...scopes, expires, changes });
    console.error(onOneLine(`token of ${user.username} <${user.email}>; it is shown only this once:`));
    console.log(text);
  } finally {
    await database.close();
  }
}

async function readArguments() {
  const text = { type: 'string' } as const;
  const options = {
    email: text,
    username: text,
    name: text,
    expires: text,
    ...passwordOptions,
    'read-only': { type: 'boolean' },
    scopes: text,
  } as const;
  const { values } = parseArgs({ options });
  const { email, username, name = '' } = values;
  if (email === undefined) throw new Error(USAGE);
  const password = await givenPassword(values, process.stdin);
  checkUser({ email, username, password });
  return {
    email,
    username,
    password,
    name,
    scopes: readScopes(values['read-only'] === true, values.scopes),
    expires: readExpiry(values.expires),
  };
}

/** As the service stores them: a token with `read` alone is read-only. */
function readScopes(readOnly: boolean, given: string | undefined): { readOnly: boolean } | { scopes: Scope[] } {
  if (given === undefined) return { readOnly };
  const named = given.split(',');
  const scopes = SCOPES.filter((scope) => named.includes(scope));
  if (readOnly || named.length !== scopes.length) {
    throw new Error(`--scopes ${given} is not a list of scopes, such as read,edit. There are: ${SCOPES.join(', ')}.`);
  }
  return isReadOnly(scopes) ? { readOnly: true } : { scopes };
}

function readExpiry(given: string | undefined): string | null {
  if (given === undefined) return null;
  const result = timestamp.safeParse(given);
  if (!result.success || Date.parse(result.data) <= Date.now()) {
    throw new Error(`--expires ${given} is not a time in the future, such as 2030-01-01T00:00:00Z.`);
  }
  return result.data;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
