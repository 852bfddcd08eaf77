// The actor where no user acts: the jobs that end what is due and empty the trash. Rule: HIS1.
import type { ActingUser } from './messages.ts';

/** The id of no user, and a UUIDv7 in form: users' ids are made by the clock, and this one is from long before all of them. */
export const SYSTEM_ID = '00000000-0000-7000-8000-73797374656d';

/** The actor of jobs, as history shows it. There is no such user: nobody can log in as it, and it owns nothing. */
export const SYSTEM: ActingUser = { id: SYSTEM_ID, username: 'system', email: '' };

/** Whether an actor is the system, with its name and its lack of an e-mail as they must be. */
export function isSystem({ id, username, email }: ActingUser): boolean {
  return id === SYSTEM_ID && username === SYSTEM.username && email === SYSTEM.email;
}
