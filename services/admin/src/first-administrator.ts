// The first administrator, whom the environment may name: made once, and left alone from then on. Rule: AUTH1.

import { hasAdministrator, makeAdministrator } from '@taskgraph/graph-store/accounts/users';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { tellAudit } from './auditing.ts';
import { checkUser, findOrMakeUser, givePassword } from './users.ts';

interface Named {
  readonly email: string | undefined;
  readonly password: string | undefined;
}

/** Gives the administrator's e-mail where one was made. Throws where only one of the two is given, or either is none that a user can have. */
export async function makeFirstAdministrator(database: Database, { email, password }: Named): Promise<string | null> {
  if (email === undefined && password === undefined) return null;
  if (email === undefined || password === undefined) {
    throw new Error('TASKGRAPH_ADMIN_EMAIL and TASKGRAPH_ADMIN_PASSWORD are needed together.');
  }
  checkUser({ email, password });
  if (await hasAdministrator(database)) return null;
  const user = await findOrMakeUser(database, { email, username: undefined });
  // The password first: whoever is an administrator must not be one by a password from before.
  await givePassword(database, user.id, password);
  await makeAdministrator(database, user.id);
  tellAudit('admin:user', 'npm run migrate', { userId: user.id, changes: ['password', 'admin'] });
  return user.email;
}
