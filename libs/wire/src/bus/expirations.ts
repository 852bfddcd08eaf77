// The message from workers to jobs about grants and publications with an end (ACL5).
import { z } from 'zod';
import { timestamp } from '../fields.ts';
import { anyId } from '../ids.ts';

/** A committed end of the grants on a node, or of its publication. */
export const expiration = z.object({ nodeId: anyId, due: timestamp });
export type Expiration = z.infer<typeof expiration>;

/** The most expirations of one message. */
export const EXPIRATIONS_AT_ONCE = 1_000;

/**
 * One of the jobs services receives it. It may be lost: the sweep finds the expirations in the database. The field is
 * named `dues` because the previous release reads it by this name.
 */
export const expirationsMessage = z.object({ dues: z.array(expiration).max(EXPIRATIONS_AT_ONCE) });
