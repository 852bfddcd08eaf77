// Creates a user if absent, with a verified e-mail, and applies the options. Rule: AUTH1.
import { parseArgs } from 'node:util';
import { publishControl } from '@taskgraph/bus/events/control';
import { connectBus } from '@taskgraph/bus/nats/connect';
import { setDisabled } from '@taskgraph/graph-store/accounts/token-endings';
import { makeAdministrator } from '@taskgraph/graph-store/accounts/users';
import { natsOptions } from '@taskgraph/runtime/service/backends';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import type { ControlMessage } from '@taskgraph/wire/bus/feed-messages';
import { onOneLine } from '@taskgraph/wire/control-characters';
import { writeAudit } from './audit-log.ts';
import { connect } from './connection.ts';
import { givenPassword, passwordOptions } from './given-password.ts';
import { checkUser, findOrMakeUser, givePassword } from './users.ts';

const USAGE = `usage: npm run user -- --email someone@example.com [--username someone] [--admin] [--disable | --enable]
                   [--password-stdin | --password P]`;

async function main(): Promise<void> {
  const wanted = await readArguments();
  const { config, database } = connect();
  try {
    const user = await findOrMakeUser(database, wanted);
    const ended: { tokens: string[]; users: string[] } = { tokens: [], users: [] };
    if (wanted.password !== undefined) ended.tokens = await givePassword(database, user.id, wanted.password);
    if (wanted.admin) await makeAdministrator(database, user.id);
    if (wanted.disabled !== null) {
      const now = new Date().toISOString();
      const { disabled } = wanted;
      const concerned = await setDisabled(database, { actor: null, userId: user.id, disabled, now });
      if (disabled && Array.isArray(concerned)) ended.users = concerned;
    }
    const changes = [...(wanted.password === undefined ? [] : ['password']), ...(wanted.admin ? ['admin'] : [])];
    const disabled = wanted.disabled === null ? {} : { disabled: wanted.disabled };
    writeAudit('admin:user', 'npm run user', { userId: user.id, changes, ...disabled });
    console.log(onOneLine(`${user.username} <${user.email}> ${user.id}`));
    await notifyGateways(config, { readers: [], feeds: [], ...ended });
  } finally {
    await database.close();
  }
}

/** Otherwise gateways would close the sockets only at the next check of their tokens. */
async function notifyGateways(config: Config, control: ControlMessage): Promise<void> {
  const { NATS_URL: url } = config;
  const isNothing = (control.tokens ?? []).length + (control.users ?? []).length === 0;
  if (url === undefined || isNothing) return;
  const bus = await connectBus({
    ...natsOptions({ ...config, NATS_URL: url }),
    name: 'admin',
    service: 'admin',
    log: createLog({ name: 'admin', level: 'error' }),
  });
  publishControl(bus, control);
  await bus.close();
}

type Config = ReturnType<typeof connect>['config'];

async function readArguments() {
  const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const;
  const options = {
    email: text,
    username: text,
    admin: flag,
    disable: flag,
    enable: flag,
    ...passwordOptions,
  } as const;
  const { values } = parseArgs({ options });
  const { email, username, admin = false, disable = false, enable = false } = values;
  if (email === undefined || (disable && enable)) throw new Error(USAGE);
  const password = await givenPassword(values, process.stdin);
  checkUser({ email, username, password });
  return { email, username, password, admin, disabled: disable || enable ? disable : null };
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
