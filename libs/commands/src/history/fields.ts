// The fields that commands set. Undo compares and restores them; all other fields are derived.
// Rule: HIS2.
import type { StoredChange } from '@taskgraph/domain/state/batch';
import { Status } from '@taskgraph/wire/codes';
import { type NamesWith, namesWhere } from '@taskgraph/wire/field-table';
import { LINK_FIELDS, type LinkFields } from '@taskgraph/wire/link-fields';
import { NODE_FIELDS, type NodeFields, PUBLICATION_FIELDS, type PublicationField } from '@taskgraph/wire/node-fields';

export type Patch = Readonly<Record<string, unknown>>;

/** The fields of a node that users write, except its status, which is compared separately. */
type ContentField = Exclude<NamesWith<NodeFields, { undo: true }>, PublicationField>;
export const CONTENT = namesWhere(
  NODE_FIELDS,
  ({ undo, readers }) => undo === true && readers !== 'publication',
) as ContentField[];
/** The fields of a link that users write. */
export const FORM = namesWhere(LINK_FIELDS, ({ undo }) => undo === true) as NamesWith<LinkFields, { undo: true }>[];
export const TERMS = ['level', 'due', 'branch'] as const;
/** Stands for the presence of an entity: of a grant, or of a node or link outside the trash. */
export const PRESENCE = 'inTrash';
/** Stands for a claim, which undo and redo may end and never begin (CLAIM3). */
export const CLAIM = 'claimId';

type FieldsByKind = Readonly<Record<StoredChange['kind'], readonly string[]>>;
const PATCHED: FieldsByKind = {
  node: [...CONTENT, ...PUBLICATION_FIELDS, CLAIM, PRESENCE],
  link: [...FORM, PRESENCE],
  grant: TERMS,
};
const WHOLE: FieldsByKind = {
  node: [...CONTENT, 'status', PRESENCE],
  link: [...FORM, PRESENCE],
  grant: [...TERMS, PRESENCE],
};

/**
 * The fields that a change itself set. An addition sets all writable fields except a publication.
 */
export function fieldsSet({ kind, before, after }: StoredChange): readonly string[] {
  if (before === null || after === null) return WHOLE[kind];
  const fields = PATCHED[kind].filter((field) => field in before && !isSame(before[field], after[field]));
  return kind === 'node' && ('status' in before || 'statusBefore' in before) ? [...fields, 'status'] : fields;
}

/** Identifies an entity, and a grant by its node and e-mail. */
export function entityKey({ kind, id, email = '' }: Pick<StoredChange, 'kind' | 'id' | 'email'>): string {
  return `${kind}|${id}|${email}`;
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one ?? null) === JSON.stringify(other ?? null);
}

/** The status that a user set. A Blocked node stores it for later (BLK3). */
export function statusByHand({ status, statusBefore }: { readonly status?: unknown; readonly statusBefore?: unknown }) {
  // While the node stays Blocked, only the stored status changes.
  return status === Status.BLOCKED || status === undefined ? statusBefore : status;
}
