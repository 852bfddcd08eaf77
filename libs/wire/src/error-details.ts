// The names in the `details` of each code, on which programs can rely. Tests check every refusal
// against this table, and docs/errors.md shows it. Details never name an entity that is not visible
// to the caller: they have `hidden` instead. Rule: WHY4.
import { ERRORS } from './error-codes.ts';

/**
 * The names that are always present, and those that may be. Codes outside the table have no
 * details, except `index` in a batch (BAT3).
 */
export interface DetailNames {
  readonly always: readonly string[];
  readonly sometimes: readonly string[];
}

const detail = (always: readonly string[], sometimes: readonly string[] = []): DetailNames => ({ always, sometimes });

const FIELD = detail(['path']);
const ENTITY = detail(['id']);

export const DETAILS: Readonly<Partial<Record<keyof typeof ERRORS, DetailNames>>> = {
  'bad_request.unknown_field': FIELD,
  'bad_request.immutable_field': FIELD,
  'bad_request.missing_<field>': FIELD,
  'bad_request.invalid_<field>': FIELD,
  'bad_request.invalid_uuid': FIELD,
  'bad_request.invalid_idempotencyKey': FIELD,
  'bad_request.out_of_range': FIELD,
  'bad_request.unknown_name': FIELD,
  'bad_request.duplicate_name': FIELD,
  'bad_request.too_large': detail([], ['most']),
  'bad_request.invalid_after': FIELD,
  'bad_request.invalid_scope': FIELD,
  'bad_request.status_blocked': FIELD,
  'bad_request.self_link': FIELD,
  'bad_request.owner_grant': FIELD,
  'bad_request.common_password': FIELD,
  invalid_due: FIELD,
  not_trashed_node: ENTITY,
  not_trashed_link: ENTITY,
  'forbidden.read_only': detail(['missing']),
  'forbidden.scope': detail(['missing']),
  forbidden: detail([], ['id', 'needed', 'level', 'branch', 'hidden']),
  not_found: detail([], ['id', 'email', 'batchId']),
  version_conflict: detail([], ['version', 'conflicts', 'truncated']),
  'conflict.in_trash': ENTITY,
  'conflict.already_trashed': ENTITY,
  'conflict.target_in_trash': ENTITY,
  'conflict.node_blocked': detail(['blockers']),
  'conflict.claimed': detail([], ['id', 'until', 'hidden']),
  'conflict.not_claimable': ENTITY,
  'conflict.claim_ended': ENTITY,
  'conflict.not_open': ENTITY,
  'conflict.cycle': detail(['path']),
  'conflict.duplicate_link': detail([], ['link', 'hidden']),
  'conflict.duplicate_reversed_link': detail([], ['link', 'hidden']),
  'conflict.too_many_links': detail(['id', 'most']),
  'conflict.too_many_grants': detail(['id', 'email', 'most']),
  'conflict.too_many_feeds': detail(['nodes', 'most'], ['truncated']),
  'conflict.too_many_tokens': detail(['most']),
  'conflict.too_many_bots': detail(['most']),
  'conflict.too_many_calendars': detail(['most']),
  'conflict.too_many_hooks': detail(['most']),
  'conflict.too_many_imports': detail(['most']),
  'conflict.too_many_import_rows': detail(['most']),
  'conflict.import_settings': detail(['differs']),
  'conflict.already_public': ENTITY,
  'conflict.not_public': ENTITY,
  'conflict.already_undone': detail(['batchId'], ['by']),
  'conflict.not_undone': detail(['batchId']),
  'conflict.irreversible': detail([], ['id', 'hidden']),
  'conflict.expired': detail([], ['id', 'email', 'hidden']),
  'conflict.idempotency_key': detail(['event']),
  unauthorized: detail([], ['outcome']),
  rate_limited: detail([], ['limit', 'retryAfterMs']),
  unavailable: detail([], ['outcome']),
  'internal.exception': detail([], ['outcome']),
};

/** The names of a code from an answer, which may contain the name of a field. */
export function detailsOf(code: string): DetailNames {
  if (Object.hasOwn(ERRORS, code)) return DETAILS[code as keyof typeof ERRORS] ?? NONE;
  const withField = Object.entries(DETAILS).find(
    ([listed]) => listed.endsWith('<field>') && code.startsWith(listed.replace('<field>', '')),
  );
  return withField?.[1] ?? NONE;
}

const NONE = detail([]);
