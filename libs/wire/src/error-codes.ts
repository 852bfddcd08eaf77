// The table of all error codes that the service answers. Types, HTTP statuses and docs/errors.md come from it. It is long because each code
// has its lines, and a table in parts would be searched in parts. Rule: GEN3.

interface ErrorDescription {
  /** The HTTP status over REST. */
  readonly status: number;
  /** When the service answers it. */
  readonly meaning: string;
  /** How a client or its user gets further. */
  readonly remedy: string;
}

/** The HTTP status by the first part of a code: it also serves for codes of a later release (GEN3). */
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
    ...{
      status: 400,
      meaning: 'The request is malformed in a way that no other code names, such as a broken query string.',
    },
    remedy: 'Correct the request as the message says.',
  },
  'bad_request.method': {
    ...{ status: 405, meaning: 'The path does not have this method.' },
    remedy: 'Use one that the header `Allow` names.',
  },
  'bad_request.invalid_json': {
    ...{ status: 400, meaning: 'The body is not valid JSON.' },
    remedy: 'Send JSON in UTF-8.',
  },
  'bad_request.invalid_body': {
    ...{ status: 400, meaning: 'The payload is not a JSON object.' },
    remedy: 'Send one object.',
  },
  'bad_request.invalid_content_type': {
    ...{ status: 400, meaning: 'The content type is not JSON.' },
    remedy: 'Send `Content-Type: application/json`.',
  },
  'bad_request.unknown_field': {
    ...{ status: 400, meaning: 'The call has no such field; `details.path` names it.' },
    remedy: 'Leave the field out.',
  },
  'bad_request.immutable_field': {
    ...{ status: 400, meaning: 'The field exists, but no client can write it; `details.path` names it.' },
    remedy: 'Leave the field out.',
  },
  'bad_request.missing_<field>': {
    ...{ status: 400, meaning: 'A required field is missing; `details.path` names it.' },
    remedy: 'Send the field.',
  },
  'bad_request.invalid_<field>': {
    ...{ status: 400, meaning: 'A field is of a wrong kind, too long, or given twice; `details.path` names it.' },
    remedy: 'Correct the field as the message says.',
  },
  'bad_request.invalid_uuid': {
    ...{ status: 400, meaning: 'A field that takes an id holds something else; `details.path` names it.' },
    remedy: 'Send an id as the service gave it.',
  },
  'bad_request.invalid_idempotencyKey': {
    ...{ status: 400, meaning: 'The idempotency key is not a text of 1 to 255 characters.' },
    remedy: 'Send a shorter key, such as a UUID.',
  },
  'bad_request.out_of_range': {
    ...{ status: 400, meaning: 'A number is out of bounds; `details.path` names its field.' },
    remedy: 'Send a number within the bounds that the message names.',
  },
  'bad_request.unknown_name': {
    ...{ status: 400, meaning: 'No earlier operation of the batch brings what `$name` stands for; `details.index`.' },
    remedy: 'Give the name with `as` to an operation before it.',
  },
  'bad_request.duplicate_name': {
    ...{ status: 400, meaning: 'Two operations of a batch have one name; `details.index` is the second.' },
    remedy: 'Give each its own.',
  },
  'bad_request.dry_run_key': {
    ...{ status: 400, meaning: 'A dry run has an idempotency key.' },
    remedy: 'Leave the key out: a dry run does nothing.',
  },
  'bad_request.no_fields': {
    ...{ status: 400, meaning: 'An update names no field to change.' },
    remedy: 'Send at least one field.',
  },
  'bad_request.too_large': {
    status: 413,
    meaning:
      'A body or frame is larger than 256 KiB, a command would touch or change more than one may, or a branch is too large to read or plan.',
    remedy: 'Split the request; read a branch that is this large as part of the graph.',
  },
  'bad_request.invalid_after': {
    ...{ status: 400, meaning: '`after` is not the `next` of a page.' },
    remedy: 'Send `next` unchanged, or begin without `after`.',
  },
  'bad_request.invalid_scope': {
    ...{ status: 400, meaning: 'The scope is unknown, or the caller cannot see it.' },
    remedy: 'Ask for a node, link or user that the caller sees.',
  },
  'bad_request.status_blocked': {
    ...{ status: 400, meaning: 'Nobody sets Blocked by hand.' },
    remedy: 'Add a blocking link instead.',
  },
  'bad_request.self_link': {
    ...{ status: 400, meaning: 'The link would lead from a node to itself.' },
    remedy: 'Name two different nodes.',
  },
  'bad_request.owner_grant': {
    ...{ status: 400, meaning: "The grant is to the node's own owner." },
    remedy: 'None is needed: the owner has full access.',
  },
  'bad_request.unknown_event': {
    ...{ status: 400, meaning: 'A socket sent an event that does not exist.' },
    remedy: 'Use an event of [interface.md](interface.md#calls).',
  },
  'bad_request.missing_ack': {
    ...{ status: 400, meaning: 'A socket sent a call without an ack callback; the service did not do it.' },
    remedy: 'Send the call again with a callback.',
  },
  'bad_request.invalid_packet': {
    ...{ status: 400, meaning: 'A socket sent a packet that no client sends; the service closes the socket.' },
    remedy: 'Use a client of Socket.IO 4.',
  },
  'bad_request.common_password': {
    ...{ status: 400, meaning: 'The password is among those that attackers try first.' },
    remedy: 'Choose another password.',
  },
  invalid_due: {
    ...{ status: 400, meaning: 'An expiration time is not in the future.' },
    remedy: 'Send a later time.',
  },
  not_trashed_node: {
    ...{ status: 400, meaning: 'The node to restore or delete is not in the trash.' },
    remedy: 'Trash it first.',
  },
  not_trashed_link: {
    ...{ status: 400, meaning: 'The link to restore or delete is not in the trash.' },
    remedy: 'Trash it first.',
  },
  unauthorized: {
    ...{ status: 401, meaning: 'The token or password is missing, wrong, expired or revoked.' },
    remedy: 'Sign in again, or use another token.',
  },
  'unauthorized.late': {
    ...{ status: 401, meaning: 'A socket did not present a token in time; the service closes the socket.' },
    remedy: 'Connect again, with the token in the handshake.',
  },
  forbidden: {
    ...{ status: 403, meaning: "The caller's level is too low, or they have no access." },
    remedy: 'Ask the owner for a grant.',
  },
  'forbidden.read_only': {
    ...{ status: 403, meaning: 'The token can only read.' },
    remedy: 'Use a token that can write.',
  },
  'forbidden.session_required': {
    ...{ status: 403, meaning: 'An API token cannot manage tokens and accounts.' },
    remedy: 'Sign in, and use the session.',
  },
  'forbidden.origin': {
    ...{ status: 403, meaning: 'Web pages of this origin may not call the service.' },
    remedy: 'Ask the operator to add the origin to `ALLOWED_ORIGINS`.',
  },
  'forbidden.wrong_password': {
    ...{ status: 403, meaning: 'The current password is wrong.' },
    remedy: 'Enter it again, or reset it.',
  },
  'forbidden.registration_off': {
    ...{ status: 403, meaning: 'Nobody can register here.' },
    remedy: 'Ask the operator for an account.',
  },
  'forbidden.mail_off': {
    ...{ status: 403, meaning: 'The service has no mail server, so it cannot send links.' },
    remedy: 'Ask the operator for another password.',
  },
  'forbidden.identity': {
    ...{ status: 403, meaning: 'This e-mail signs in by another identity of the provider.' },
    remedy: 'Sign in by that identity.',
  },
  'forbidden.email_unverified': {
    ...{ status: 403, meaning: 'The provider does not say that the e-mail is verified.' },
    remedy: 'Verify it there, then sign in again.',
  },
  not_found: {
    ...{ status: 404, meaning: 'There is no such thing, or the caller may not know of it.' },
    remedy: 'Check the id or path; read the graph again.',
  },
  version_conflict: {
    status: 409,
    meaning:
      'The entity changed since `version`; `details.version` is the present one. Of an undo, `details.conflicts` names later changes.',
    remedy: 'Read again, and decide anew; undo the later batches first.',
  },
  'conflict.in_trash': {
    ...{ status: 409, meaning: 'The entity is in the trash, so it cannot be changed.' },
    remedy: 'Restore it first.',
  },
  'conflict.already_trashed': {
    ...{ status: 409, meaning: 'The entity is in the trash already.' },
    remedy: 'Nothing is left to do.',
  },
  'conflict.target_in_trash': {
    ...{ status: 409, meaning: 'The parent of the new node is in the trash.' },
    remedy: 'Restore the parent, or choose another.',
  },
  'conflict.node_blocked': {
    ...{ status: 409, meaning: 'The node is Blocked; `details.blockers` lists by which nodes and links.' },
    remedy: 'Complete the blockers, or remove the links.',
  },
  'conflict.not_open': {
    ...{ status: 409, meaning: 'The node that is to slip is completed.' },
    remedy: 'Name a node that is still to be done.',
  },
  'conflict.cycle': {
    ...{ status: 409, meaning: 'The link would close a cycle of primary links; `details.path` leads along it.' },
    remedy: 'Remove a link of the cycle, or add a secondary link.',
  },
  'conflict.duplicate_link': {
    ...{ status: 409, meaning: 'The two nodes are linked in this direction already.' },
    remedy: 'Update the present link.',
  },
  'conflict.duplicate_reversed_link': {
    ...{ status: 409, meaning: 'The two nodes are linked in the other direction already.' },
    remedy: 'Swap the present link.',
  },
  'conflict.too_many_links': {
    ...{ status: 409, meaning: 'The node would have more links than it can.' },
    remedy: 'Remove links, or put a node in between.',
  },
  'conflict.too_many_grants': {
    ...{ status: 409, meaning: 'The e-mail would have more grants by one owner than it can.' },
    remedy: 'Share a branch instead of single nodes.',
  },
  'conflict.too_many_feeds': {
    ...{ status: 409, meaning: 'A node would belong to more shared branches and trees of others than it can.' },
    remedy: 'Share a branch that holds the others.',
  },
  'conflict.too_many_tokens': {
    ...{ status: 409, meaning: 'The user has as many API tokens as they can.' },
    remedy: 'Revoke one first.',
  },
  'conflict.already_public': {
    ...{ status: 409, meaning: 'The node is public already.' },
    remedy: 'Update the publication instead.',
  },
  'conflict.not_public': {
    ...{ status: 409, meaning: 'The node is not public.' },
    remedy: 'Publish it first.',
  },
  'conflict.already_undone': {
    ...{ status: 409, meaning: 'The batch is undone already.' },
    remedy: 'Redo it, or nothing.',
  },
  'conflict.not_undone': {
    ...{ status: 409, meaning: 'The batch is not undone, so there is nothing to redo.' },
    remedy: 'Undo it first.',
  },
  'conflict.irreversible': {
    ...{ status: 409, meaning: 'The batch deleted something for good.' },
    remedy: 'Create it anew.',
  },
  'conflict.expired': {
    ...{ status: 409, meaning: 'The grant, publication or token to bring back has expired meanwhile.' },
    remedy: 'Make a new one.',
  },
  'conflict.idempotency_key': {
    ...{ status: 409, meaning: 'The idempotency key was used for another command.' },
    remedy: 'Use a new key for each command.',
  },
  'conflict.registered': {
    ...{ status: 409, meaning: 'The e-mail has an account already.' },
    remedy: 'Sign in.',
  },
  'conflict.own_account': {
    ...{ status: 409, meaning: 'Administrators cannot disable themselves.' },
    remedy: 'Ask another administrator.',
  },
  rate_limited: {
    ...{ status: 429, meaning: 'There were too many calls; `details.limit` names the [limit](limits.md).' },
    remedy: 'Wait `details.retryAfterMs`, or `Retry-After`.',
  },
  internal: {
    ...{ status: 500, meaning: 'The service is not ready.' },
    remedy: 'Tell the operator.',
  },
  'internal.exception': {
    ...{ status: 500, meaning: 'A bug. The log has more under the `trace_id`.' },
    remedy: 'Report the `trace_id`.',
  },
  'internal.broken_answer': {
    ...{ status: 500, meaning: 'A worker answered something that the gateway cannot read.' },
    remedy: 'Report the `trace_id`.',
  },
  'internal.too_large': {
    ...{ status: 500, meaning: 'The answer is longer than a message between services can be.' },
    remedy: 'Ask for less at once.',
  },
  'internal.unproven': {
    ...{ status: 500, meaning: 'Gateway and worker have different values of `TASKGRAPH_SECRET`.' },
    remedy: 'Give all services the same one.',
  },
  unavailable: {
    status: 503,
    meaning:
      'The service cannot do it now. Of a mutation, `details.outcome` says whether it is certainly `not_done`, or `unknown`.',
    remedy: 'Try again after `Retry-After`, under the same idempotency key.',
  },
  'unavailable.slow_reader': {
    ...{ status: 503, meaning: 'A socket reads too slowly; the service closes the socket.' },
    remedy: 'Connect again, and ask for the changes since the last position.',
  },
} as const satisfies Partial<Record<Family | `${Family}.${string}`, ErrorDescription>>;

type Listed = keyof typeof ERRORS;
type OfField = Extract<Listed, `${string}<field>`>;

/** A code that `refuse` takes: it stands in the table. */
export type RefusalCode = Exclude<Listed, OfField>;

/** How a field can be wrong. */
export type FieldProblem = OfField extends `bad_request.${infer Problem}_<field>` ? Problem : never;

/** Any code of the service. */
export type ErrorCode = RefusalCode | `bad_request.${FieldProblem}_${string}`;

/** The HTTP status of an error code. A code of a later release has that of its first part (GEN3). */
export function httpStatusOf(code: string): number {
  if (Object.hasOwn(ERRORS, code)) return ERRORS[code as Listed].status;
  const family = code.split('.', 1)[0] ?? '';
  return Object.hasOwn(STATUS_BY_FAMILY, family) ? STATUS_BY_FAMILY[family as Family] : 400;
}
