// Creates a user if absent, with a verified e-mail, and prints a link that signs a browser in as this
// user, once and within 15 minutes, as the last line. Rule: AUTH5.
import { parseArgs } from 'node:util';
import { setSignInLink } from '@taskgraph/graph-store/accounts/tokens';
import { findAccount } from '@taskgraph/graph-store/accounts/users';
import { saltOf } from '@taskgraph/runtime/security/passwords';
import { issueTicket, passwordMark } from '@taskgraph/runtime/security/tickets';
import { defineConfig, readConfig } from '@taskgraph/runtime/service/config';
import { signingSecrets } from '@taskgraph/runtime/service/settings';
import { onOneLine } from '@taskgraph/wire/control-characters';
import { writeAudit } from './audit-log.ts';
import { connect } from './connection.ts';
import { stackEnvironment } from './stack-environment.ts';
import { checkUser, findOrMakeUser, newId } from './users.ts';

const USAGE = `usage: npm run sign-in-link -- --email someone@example.com [--username someone] [--url http://127.0.0.1:8080]`;

const VALID_MS = 15 * 60_000;

/** The secret that the gateways and workers of the stack share. */
const secretSettings = defineConfig({
  TASKGRAPH_SECRET: { schema: signingSecrets, description: 'Signs the link; the secret of gateways and workers.' },
});

async function main(): Promise<void> {
  const { email, username, url } = readArguments();
  const environment = stackEnvironment();
  const { TASKGRAPH_SECRET: secret } = readConfig(secretSettings, environment);
  const { database } = connect(environment);
  try {
    const user = await findOrMakeUser(database, { email, username });
    const account = await findAccount(database, user.email);
    if (account === null || account.disabled) throw new Error(`${email} is disabled; enable the user first.`);
    const mark = passwordMark(account.passwordHash === null ? null : saltOf(account.passwordHash));
    const link = newId(0);
    await setSignInLink(database, { userId: user.id, link });
    const expiresMs = Date.now() + VALID_MS;
    const expires = new Date(expiresMs).toISOString();
    writeAudit('admin:sign-in-link', 'npm run sign-in-link', { userId: user.id, expires });
    console.error(onOneLine(`sign-in link of ${user.username} <${user.email}>, valid once until ${expires}:`));
    console.log(
      `${url}/signin#link=${issueTicket(secret, 'sign-in-link', { userId: user.id, id: link, mark }, expiresMs)}`,
    );
  } finally {
    await database.close();
  }
}

function readArguments() {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: { email: text, username: text, url: text } });
  const { email, username, url = 'http://127.0.0.1:8080' } = values;
  if (email === undefined) throw new Error(USAGE);
  checkUser({ email, username, password: undefined });
  if (!URL.canParse(url)) throw new Error(`--url ${url} is not an address such as https://tasks.example.com.`);
  return { email, username, url: new URL(url).origin };
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
