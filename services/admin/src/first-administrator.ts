// The first administrator, named by the environment: created once and never changed later. Rule:
// AUTH1.

import { hasAdministrator, makeAdministrator } from '@taskgraph/graph-store/accounts/users';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { writeAudit } from './audit-log.ts';
import { checkUser, findOrMakeUser, givePassword } from './users.ts';

interface AdministratorCredentials {
  readonly email: string | undefined;
  readonly password: string | undefined;
}

/**
 * Returns the administrator's e-mail if one was created. Throws if only one of the two is given or
 * either is invalid.
 */
export async function makeFirstAdministrator(
  database: Database,
  { email, password }: AdministratorCredentials,
): Promise<string | null> {
  if (email === undefined && password === undefined) return null;
  if (email === undefined || password === undefined) {
    throw new Error('TASKGRAPH_ADMIN_EMAIL and TASKGRAPH_ADMIN_PASSWORD are needed together.');
  }
  checkUser({ email, password });
  if (await hasAdministrator(database)) return null;
  const user = await findOrMakeUser(database, { email, username: undefined });
  // Set the password first: an administrator must never sign in with an earlier password.
  await givePassword(database, user.id, password);
  await makeAdministrator(database, user.id);
  writeAudit('admin:user', 'npm run migrate', { userId: user.id, changes: ['password', 'admin'] });
  return user.email;
}
