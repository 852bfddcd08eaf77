// The table of all error codes that the service answers. Types, HTTP statuses and docs/errors.md
// come from it. It is one long file, so that readers search one table. Rule: GEN3.

interface ErrorDescription {
  /** The HTTP status over REST. */
  readonly status: number;
  /** When the service answers it. */
  readonly meaning: string;
  /** How a client or its user gets further. */
  readonly remedy: string;
}

/**
 * The HTTP status by the first part of a code: it also serves for codes of a later release (GEN3).
 */
export const STATUS_BY_FAMILY = {
  bad_request: 400,
  not_trashed_node: 400,
  not_trashed_link: 400,
  invalid_due: 400,
  unauthorized: 401,
  forbidden: 403,
  no_permission: 403,
  not_found: 404,
  version_conflict: 409,
  conflict: 409,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;

type Family = keyof typeof STATUS_BY_FAMILY;

/** `<field>` stands for the name of a field of the call. */
export const ERRORS = {
  bad_request: {
    status: 400,
    meaning: 'The request is malformed and no other code applies, such as a broken query string.',
    remedy: 'Correct the request as the message says.',
  },
  'bad_request.method': {
    status: 405,
    meaning: 'The path does not support this method.',
    remedy: 'Use a method from the header `Allow`.',
  },
  'bad_request.invalid_json': {
    status: 400,
    meaning: 'The body is not valid JSON.',
    remedy: 'Send JSON in UTF-8.',
  },
  'bad_request.invalid_body': {
    status: 400,
    meaning: 'The payload is not a JSON object.',
    remedy: 'Send one object.',
  },
  'bad_request.invalid_content_type': {
    status: 400,
    meaning: 'The content type is not JSON.',
    remedy: 'Send `Content-Type: application/json`.',
  },
  'bad_request.unknown_field': {
    status: 400,
    meaning: 'The call has no such field; `details.path` names it.',
    remedy: 'Remove the field.',
  },
  'bad_request.immutable_field': {
    status: 400,
    meaning: 'The field exists, but clients cannot write it; `details.path` names it.',
    remedy: 'Remove the field.',
  },
  'bad_request.missing_<field>': {
    status: 400,
    meaning: 'A required field is missing; `details.path` names it.',
    remedy: 'Send the field.',
  },
  'bad_request.invalid_<field>': {
    status: 400,
    meaning: 'A field has the wrong type, is too long, or is given twice; `details.path` names it.',
    remedy: 'Correct the field as the message says.',
  },
  'bad_request.invalid_uuid': {
    status: 400,
    meaning: 'A field that requires an id has another value; `details.path` names it.',
    remedy: 'Send an id from the service.',
  },
  'bad_request.invalid_idempotencyKey': {
    status: 400,
    meaning: 'The idempotency key is not a text of 1 to 255 characters.',
    remedy: 'Send a shorter key, such as a UUID.',
  },
  'bad_request.out_of_range': {
    status: 400,
    meaning: 'A number is out of bounds; `details.path` names its field.',
    remedy: 'Send a number within the bounds from the message.',
  },
  'bad_request.unknown_name': {
    status: 400,
    meaning: 'No earlier operation of the batch has the name `$name`; `details.index` is the operation that uses it.',
    remedy: 'Give the name to an earlier operation with `as`.',
  },
  'bad_request.duplicate_name': {
    status: 400,
    meaning: 'Two operations of a batch have the same name; `details.index` is the second.',
    remedy: 'Give each operation its own name.',
  },
  'bad_request.dry_run_key': {
    status: 400,
    meaning: 'A dry run has an idempotency key.',
    remedy: 'Remove the key: a dry run changes nothing.',
  },
  'bad_request.no_fields': {
    status: 400,
    meaning: 'An update names no field to change.',
    remedy: 'Send at least one field.',
  },
  'bad_request.too_large': {
    status: 413,
    meaning:
      'A body or frame exceeds 256 KiB, a command would touch or change too much, or a branch is too large to read or plan.',
    remedy: 'Split the request; read a branch of this size as part of the graph.',
  },
  'bad_request.invalid_after': {
    status: 400,
    meaning: '`after` is not the `next` of a page of the same call.',
    remedy: 'Send `next` unchanged, or start without `after`.',
  },
  'bad_request.invalid_scope': {
    status: 400,
    meaning: 'The scope is unknown or not visible to the caller.',
    remedy: 'Use a node, link or user that is visible to the caller.',
  },
  'bad_request.status_blocked': {
    status: 400,
    meaning: 'Clients cannot set the status Blocked.',
    remedy: 'Add a primary link instead.',
  },
  'bad_request.self_link': {
    status: 400,
    meaning: 'The link would lead from a node to itself.',
    remedy: 'Use two different nodes.',
  },
  'bad_request.owner_grant': {
    status: 400,
    meaning: "The grant is for the node's own owner.",
    remedy: 'No grant is needed: the owner has full access.',
  },
  'bad_request.unknown_event': {
    status: 400,
    meaning: 'A socket sent an event that does not exist.',
    remedy: 'Use an event from [interface.md](interface.md#calls).',
  },
  'bad_request.missing_ack': {
    status: 400,
    meaning: 'A socket sent a call without an ack callback; the service did not execute it.',
    remedy: 'Send the call again with a callback.',
  },
  'bad_request.invalid_packet': {
    status: 400,
    meaning: 'A socket sent a packet that no valid client sends; the service closes the socket.',
    remedy: 'Use a Socket.IO 4 client.',
  },
  'bad_request.common_password': {
    status: 400,
    meaning: 'The password is among those that attackers try first.',
    remedy: 'Choose another password.',
  },
  invalid_due: {
    status: 400,
    meaning: 'An expiration time is not in the future.',
    remedy: 'Send a later time.',
  },
  not_trashed_node: {
    status: 400,
    meaning: 'The node to restore or delete is not in the trash.',
    remedy: 'Trash it first.',
  },
  not_trashed_link: {
    status: 400,
    meaning: 'The link to restore or delete is not in the trash.',
    remedy: 'Trash it first.',
  },
  unauthorized: {
    status: 401,
    meaning:
      'The token or password is missing, wrong, expired or revoked. `details.outcome` is `unknown` if the token ended while a mutation was in progress.',
    remedy: 'Sign in again, or use another token.',
  },
  'unauthorized.late': {
    status: 401,
    meaning: 'A socket did not present a token in time; the service closes the socket.',
    remedy: 'Connect again with the token in the handshake.',
  },
  forbidden: {
    status: 403,
    meaning: 'The caller has no access, or their level is too low.',
    remedy: 'Ask the owner for a grant.',
  },
  'forbidden.read_only': {
    status: 403,
    meaning: 'The token is read-only; `details.missing` lists the scopes that it does not have.',
    remedy: 'Use a token that can write.',
  },
  'forbidden.scope': {
    status: 403,
    meaning:
      'The call needs a [scope](accounts.md#scopes); `details.missing` lists the scopes that the token does not have.',
    remedy: 'Use a token with these scopes.',
  },
  'forbidden.target_required': {
    status: 403,
    meaning: 'A bot cannot own nodes.',
    remedy: 'Add the node below one that is shared with the bot: send `target`.',
  },
  'forbidden.session_required': {
    status: 403,
    meaning: 'An API token cannot manage tokens or accounts, and cannot make the calls of administrators.',
    remedy: 'Sign in and use the session.',
  },
  'forbidden.origin': {
    status: 403,
    meaning: 'Web pages of this origin may not call the service.',
    remedy: 'Ask the operator to add the origin to `ALLOWED_ORIGINS`.',
  },
  'forbidden.wrong_password': {
    status: 403,
    meaning: 'The current password is wrong.',
    remedy: 'Enter it again, or reset it.',
  },
  'forbidden.registration_off': {
    status: 403,
    meaning: 'Registration is off.',
    remedy: 'Ask the operator for an account.',
  },
  'forbidden.mail_off': {
    status: 403,
    meaning: 'The service has no mail server, so it cannot send links.',
    remedy: 'Ask the operator to set a new password.',
  },
  'forbidden.identity': {
    status: 403,
    meaning: 'The e-mail address is bound to another identity of the provider.',
    remedy: 'Sign in with that identity.',
  },
  'forbidden.email_unverified': {
    status: 403,
    meaning: 'The provider does not report the e-mail address as verified.',
    remedy: 'Verify it at the provider, then sign in again.',
  },
  not_found: {
    status: 404,
    meaning: 'It does not exist, or the caller may not learn that it exists.',
    remedy: 'Check the id or path; read the graph again.',
  },
  version_conflict: {
    status: 409,
    meaning:
      'The entity has changed since `version`; `details.version` is its present version. For an undo, `details.conflicts` lists later changes.',
    remedy: 'Read the entity and decide again; undo the later batches first.',
  },
  'conflict.in_trash': {
    status: 409,
    meaning: 'The entity is in the trash, so it cannot be changed.',
    remedy: 'Restore it first.',
  },
  'conflict.already_trashed': {
    status: 409,
    meaning: 'The entity is already in the trash.',
    remedy: 'There is nothing to do.',
  },
  'conflict.target_in_trash': {
    status: 409,
    meaning: 'The parent of the new node is in the trash.',
    remedy: 'Restore the parent, or choose another.',
  },
  'conflict.node_blocked': {
    status: 409,
    meaning: 'The node is Blocked; `details.blockers` lists the nodes and links that block it.',
    remedy: 'Complete the blockers, or remove the links.',
  },
  'conflict.claimed': {
    status: 409,
    meaning: 'Another claim on the node is in force.',
    remedy: 'Claim another node, or wait until `details.until`.',
  },
  'conflict.not_claimable': {
    status: 409,
    meaning: 'The node is Completed, or in progress without a claim.',
    remedy: 'Claim another node, or set its status to Available first.',
  },
  'conflict.claim_ended': {
    status: 409,
    meaning: 'The claim has ended, or is not the claim of the caller.',
    remedy: 'Stop working on the node: another agent may have it. Claim again.',
  },
  'conflict.not_open': {
    status: 409,
    meaning: 'The node in `slip` is Completed.',
    remedy: 'Use a node that is not Completed.',
  },
  'conflict.cycle': {
    status: 409,
    meaning: 'The link would close a cycle of primary links; `details.path` lists the nodes of the cycle.',
    remedy: 'Remove a link of the cycle, or add a secondary link.',
  },
  'conflict.duplicate_link': {
    status: 409,
    meaning: 'A link already connects the two nodes in this direction.',
    remedy: 'Update the existing link.',
  },
  'conflict.duplicate_reversed_link': {
    status: 409,
    meaning: 'A link already connects the two nodes in the other direction.',
    remedy: 'Swap the existing link.',
  },
  'conflict.too_many_links': {
    status: 409,
    meaning: 'The node would exceed the limit on links.',
    remedy: 'Remove links, or insert a node in between.',
  },
  'conflict.too_many_grants': {
    status: 409,
    meaning: 'The e-mail address would exceed the limit on grants from one owner.',
    remedy: 'Share a branch instead of single nodes.',
  },
  'conflict.too_many_feeds': {
    status: 409,
    meaning: 'A node would belong to too many shared branches and trees of other users.',
    remedy: 'Share a branch that contains the others.',
  },
  'conflict.too_many_tokens': {
    status: 409,
    meaning: 'The user already has the maximum number of API tokens.',
    remedy: 'Revoke one first.',
  },
  'conflict.already_public': {
    status: 409,
    meaning: 'The node is already public.',
    remedy: 'Update the publication instead.',
  },
  'conflict.not_public': {
    status: 409,
    meaning: 'The node is not public.',
    remedy: 'Publish it first.',
  },
  'conflict.already_undone': {
    status: 409,
    meaning: 'The batch is already undone.',
    remedy: 'Redo it, or do nothing.',
  },
  'conflict.not_undone': {
    status: 409,
    meaning: 'The batch is not undone, so there is nothing to redo.',
    remedy: 'Undo it first.',
  },
  'conflict.irreversible': {
    status: 409,
    meaning: 'The batch deleted an entity permanently.',
    remedy: 'Create the entity again.',
  },
  'conflict.expired': {
    status: 409,
    meaning: 'The grant, publication or token to restore has expired.',
    remedy: 'Create a new one.',
  },
  'conflict.idempotency_key': {
    status: 409,
    meaning: 'The idempotency key was used for another command.',
    remedy: 'Use a new key for each command.',
  },
  'conflict.registered': {
    status: 409,
    meaning: 'The e-mail address already has an account.',
    remedy: 'Sign in.',
  },
  'conflict.too_many_bots': {
    status: 409,
    meaning: 'A user can have no more bots.',
    remedy: 'Remove some first.',
  },
  'conflict.too_many_calendars': {
    status: 409,
    meaning: 'A user can have no more calendars.',
    remedy: 'Remove some first.',
  },
  'conflict.too_many_hooks': {
    status: 409,
    meaning: 'A user can have no more webhooks.',
    remedy: 'Delete some first.',
  },
  'conflict.too_many_imports': {
    status: 409,
    meaning: 'A user can have no more sources of imports.',
    remedy: 'Delete some first, or import under the name of an existing one.',
  },
  'conflict.too_many_import_rows': {
    status: 409,
    meaning: 'The tasks and links of imported files of a user exceed the maximum.',
    remedy: 'Delete the sources of files that are no longer updated.',
  },
  'conflict.import_replaced': {
    status: 409,
    meaning: 'Another import or update of the same source began meanwhile.',
    remedy: 'Let it end, and begin again.',
  },
  'conflict.import_undo': {
    status: 409,
    meaning: 'The undo of the last update of this source was interrupted.',
    remedy:
      'Complete the undo first, by running it again. If later changes prevent it, undo these, or delete the source.',
  },
  'conflict.import_incomplete': {
    status: 409,
    meaning: 'The import of this source was interrupted.',
    remedy: 'Complete it first, by running it again. Without its file, delete the source: its tasks stay.',
  },
  'conflict.import_source': {
    status: 409,
    meaning: 'The source has the tasks of another import.',
    remedy: 'Use another name for the source, or delete the earlier one.',
  },
  'conflict.import_settings': {
    status: 409,
    meaning:
      'The earlier import of this source was of another file, or had another format, other reading options or another parent: `details.differs` names them.',
    remedy: 'Use the settings of the earlier import, or the name of another source.',
  },
  'conflict.own_account': {
    status: 409,
    meaning: 'Administrators cannot disable themselves.',
    remedy: 'Ask another administrator.',
  },
  rate_limited: {
    status: 429,
    meaning: 'The caller exceeded a limit; `details.limit` names the [limit](limits.md).',
    remedy: 'Wait for `details.retryAfterMs`, or for `Retry-After`.',
  },
  internal: {
    status: 500,
    meaning: 'The service is not ready.',
    remedy: 'Contact the operator.',
  },
  'internal.exception': {
    status: 500,
    meaning: 'A bug. The log has details under the `trace_id`.',
    remedy: 'Report the `trace_id`.',
  },
  'internal.broken_answer': {
    status: 500,
    meaning: 'A worker sent an answer that the gateway cannot read.',
    remedy: 'Report the `trace_id`.',
  },
  'internal.too_large': {
    status: 500,
    meaning: 'The answer exceeds the maximum size of a message between services.',
    remedy: 'Request less at once.',
  },
  'internal.unproven': {
    status: 500,
    meaning: 'Gateway and worker have different values of `TASKGRAPH_SECRET`.',
    remedy: 'Give all services the same value.',
  },
  unavailable: {
    status: 503,
    meaning:
      'The service cannot handle the call now. For a mutation, `details.outcome` is `not_done` if the service certainly did not execute it, otherwise `unknown`.',
    remedy: 'Try again after `Retry-After`, with the same idempotency key.',
  },
  'unavailable.slow_reader': {
    status: 503,
    meaning: 'A socket reads too slowly; the service closes the socket.',
    remedy: 'Connect again, and call `changes:get` with the last position.',
  },
} as const satisfies Partial<Record<Family | `${Family}.${string}`, ErrorDescription>>;

type Listed = keyof typeof ERRORS;
type OfField = Extract<Listed, `${string}<field>`>;

/** A code of the table, as `refuse` takes it. */
export type RefusalCode = Exclude<Listed, OfField>;

/** How a field can be wrong. */
export type FieldProblem = OfField extends `bad_request.${infer Problem}_<field>` ? Problem : never;

/** Any code of the service. */
export type ErrorCode = RefusalCode | `bad_request.${FieldProblem}_${string}`;

/**
 * The HTTP status of an error code. A code of a later release has that of its first part (GEN3).
 */
export function httpStatusOf(code: string): number {
  if (Object.hasOwn(ERRORS, code)) return ERRORS[code as Listed].status;
  const family = code.split('.', 1)[0] ?? '';
  return Object.hasOwn(STATUS_BY_FAMILY, family) ? STATUS_BY_FAMILY[family as Family] : 400;
}
