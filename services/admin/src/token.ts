// Makes a user if absent, whose e-mail then counts as verified, and prints a new API token as its last line.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openDatabase } from '@taskgraph/graph-store/database';
import { addToken, ensureUser } from '@taskgraph/graph-store/users';
import { readConfig } from '@taskgraph/runtime/config';
import { createIdFactory } from '@taskgraph/runtime/ids';
import { newTokenText } from '@taskgraph/runtime/tokens';
import { SLOTS } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { configuration } from './configuration.ts';

const USAGE = 'usage: npm run token -- --email someone@example.com [--username someone]';

async function main(): Promise<void> {
  const { email, username } = readArguments();
  const config = readConfig(configuration, stackEnvironment());
  const database = openDatabase({ url: config.NEO4J_URL, user: config.NEO4J_USER, password: config.NEO4J_PASSWORD });
  try {
    const now = new Date().toISOString();
    const newId = createIdFactory();
    // A user's slot is drawn at random: it spreads owners over the partitions.
    const id = newId(Math.floor(Math.random() * SLOTS));
    const user = await ensureUser(database, { id, email, username: username ?? email.split('@')[0] ?? email, now });
    const text = newTokenText();
    const hash = createHash('sha256').update(text).digest('hex');
    await addToken(database, { id: newId(0), userId: user.id, hash, prefix: text.slice(0, 7), now });
    console.error(`token of ${user.username} <${user.email}>; it is shown only this once:`);
    console.log(text);
  } finally {
    await database.close();
  }
}

function readArguments(): { email: string; username: string | undefined } {
  const { values } = parseArgs({ options: { email: { type: 'string' }, username: { type: 'string' } } });
  if (values.email === undefined) throw new Error(USAGE);
  if (!z.email().safeParse(values.email).success)
    throw new Error(`${values.email} is not an e-mail address.\n${USAGE}`);
  return { email: values.email, username: values.username };
}

/** The environment given, or that of the running stack, which its launcher keeps in DATA_DIR. */
function stackEnvironment(): NodeJS.ProcessEnv {
  if (process.env.NEO4J_URL) return process.env;
  const file = join(process.env.DATA_DIR ?? '.data', 'stack.json');
  if (!existsSync(file))
    throw new Error(`No stack runs in ${process.env.DATA_DIR ?? '.data'}: start one with npm start.`);
  const stack = JSON.parse(readFileSync(file, 'utf8')) as { environment: NodeJS.ProcessEnv };
  return { ...stack.environment, ...process.env };
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
