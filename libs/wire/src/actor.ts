// The actor of a call: the user behind a token, or the system, which gives the commands of jobs. Rule: HIS1.
import { z } from 'zod';
import { anyId } from './ids.ts';

export const actingUser = z.object({
  id: anyId,
  username: z.string(),
  email: z.string(),
  /** Only of a bot: the id of the user who maintains it (BOT1). */
  maintainer: anyId.optional(),
});
export type ActingUser = z.infer<typeof actingUser>;

/** The id of the user whose limits count a call: a bot's calls count as its maintainer's (BOT1). */
export function countedUser({ id, maintainer }: Pick<ActingUser, 'id' | 'maintainer'>): string {
  return maintainer ?? id;
}

/** A UUIDv7 with a time before any user's id, so no user has it. */
export const SYSTEM_ID = '00000000-0000-7000-8000-73797374656d';

/** The system, as history shows it. It is not a user: it cannot sign in, and it owns nothing. */
export const SYSTEM: ActingUser = { id: SYSTEM_ID, username: 'system', email: '' };

/** Whether an actor is the system. Its name and its empty e-mail must fit too. */
export function isSystem({ id, username, email }: ActingUser): boolean {
  return id === SYSTEM_ID && username === SYSTEM.username && email === SYSTEM.email;
}
