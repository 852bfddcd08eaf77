// Parts of payloads that several operations share.
import { z } from 'zod';
import { Level } from '../codes.ts';
import { wireNode } from '../entities.ts';
import { type Refusal, refuse } from '../errors.ts';
import { dueTime, list, text, version } from '../fields.ts';
import { anyId } from '../ids.ts';

const guard = version
  .optional()
  .describe('The version for which the call was made. A stale version is refused as `version_conflict`.');

/** The target of a command on one existing entity, and optionally its expected version (GEN10). */
export const named = z.strictObject({ id: anyId.describe('The id of the node or link.'), version: guard });
export type VersionedId = z.infer<typeof named>;

/** An e-mail in its compared form: case-folded. */
const email = text(255, 3)
  .regex(/^[^\s@|]+@[^\s@|]+$/, 'must be an e-mail')
  .transform((value) => value.toLowerCase())
  // Some letters are longer in lower case.
  .pipe(text(255));

/** The rights of a grant. */
export const grantFields = {
  level: z.int().min(Level.ADMIN).max(Level.VIEWER).describe('1 admin, 2 editor, 3 viewer.'),
  due: dueTime.nullable().optional().describe('When it ends; null for never.'),
  branch: z.boolean().describe('Whether it includes the branch below the node.'),
};

/** The key of a grant: its node and its e-mail, and optionally its expected version (GEN10). */
export const namedGrant = z.strictObject({
  id: anyId.describe("The node's id."),
  email: email.describe("The grantee's e-mail."),
  version: guard,
});

/** The size and the start of a page. */
export function paged(most: number, usual: number) {
  return {
    limit: z.int().min(1).max(most).default(usual).describe('The most entities of the page.'),
    offset: z
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .default(0)
      .describe('The number of entities before the page: those received, not those requested.'),
  };
}

/** The fields of nodes that clients see. */
export type NodeFieldName = keyof typeof wireNode.shape;
const NODE_FIELD_NAMES = Object.keys(wireNode.shape) as NodeFieldName[];

/** The fields of nodes that a read returns (NGET3). */
export const selectedFields = list(z.enum(NODE_FIELD_NAMES), NODE_FIELD_NAMES.length)
  .optional()
  .describe(
    'The names of the fields of nodes to return, besides `id` and `version`. Default: all. Nodes of the answer then lack the other fields, even those that the schema of the answer requires.',
  );

/** Refuses an update that names no field to change (GEN9). */
export function noFields(fields: Readonly<Record<string, unknown>>): Refusal | null {
  if (Object.values(fields).some((value) => value !== undefined)) return null;
  return refuse('bad_request.no_fields', 'The update names no field to change.');
}
