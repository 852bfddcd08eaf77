// Claims: no node has two at once, each acknowledged claim is stored, a repeated key has one node,
// and an ended claim permits nothing. The answers and the stored order are judged separately.
// Rules: CLAIM1 to CLAIM4.
import { Status } from '@taskgraph/wire/codes';
import { CLAIM_EXPIRY, keyOf } from './check-commands.ts';
import type { Anomaly, Batch, Change, ClaimAnswer, Command } from './history.ts';
import type { OwnerOrder, SerialOrders } from './serial-order.ts';

interface Records {
  readonly orders: SerialOrders;
  /** By the key under which their batches are stored. */
  readonly commands: ReadonlyMap<string, Command>;
}

const TWO_CLAIMS = 'two claims have a node at once';
const MINUTE_MS = 60_000;
/** For a command without an answer: its deadline, and a pause of the gateway that has it. */
const LATEST_MS = 30_000;
/** What the end of a claim changes, by whichever command. */
const EXPIRED_FIELDS: ReadonlySet<string> = new Set([
  'claimId',
  'claimUntil',
  'claimedBy',
  'claimerId',
  'claimAssigned',
  'status',
  'assignee',
  'version',
  'lastEditedTime',
]);

export function checkClaims(answers: readonly ClaimAnswer[], { orders, commands }: Records): Anomaly[] {
  return [
    ...checkRepeats(answers),
    ...checkStored(answers, orders),
    ...checkOverlaps(answers, [...commands.values()]),
    ...checkLost([...commands.values()]),
    ...[...orders.owners.values()].flatMap((owner) => checkHistory(orders, owner, commands)),
  ];
}

/** Once a key has a node, each later call with it has the same node. */
function checkRepeats(answers: readonly ClaimAnswer[]): Anomaly[] {
  const first = new Map<string, ClaimAnswer>();
  return [...answers]
    .sort((one, other) => one.calledMs - other.calledMs)
    .flatMap((answer) => {
      const before = first.get(keyOf(answer));
      if (before === undefined) {
        if (answer.claim !== null) first.set(keyOf(answer), answer);
        return [];
      }
      const isSame = before.claim?.node === answer.claim?.node && before.claim?.claimId === answer.claim?.claimId;
      if (isSame) return [];
      const what = `${answer.key}: ${before.claim?.node}, then ${answer.claim?.node}`;
      return [{ kind: 'a repeated claim got another node', what, about: [before, answer] }];
    });
}

/** A claim has the id of its batch, in which its node has this id and this end. */
function checkStored(answers: readonly ClaimAnswer[], orders: SerialOrders): Anomaly[] {
  return answers.flatMap((answer) => {
    const { claim, key } = answer;
    if (claim === null) return [];
    const owner = orders.entityOf(claim.node)?.owner;
    const batch = owner?.batches[(owner.positionOf.get(claim.claimId) ?? 0) - 1];
    const isStored = batch?.changes.some(
      ({ id, after }) => id === claim.node && after?.claimId === claim.claimId && after.claimUntil === claim.until,
    );
    if (isStored === true) return [];
    return [{ kind: 'an acknowledged claim is not in the history', what: key, about: [answer, batch] }];
  });
}

/**
 * By the answers alone: a claim begins after the end of the claim before, unless a command that names
 * that one could have ended it. All claims are equally long, so a renewal never brings an end forward.
 */
function checkOverlaps(answers: readonly ClaimAnswer[], commands: readonly Command[]): Anomaly[] {
  const byNode = new Map<string, Map<string, ClaimAnswer>>();
  for (const answer of [...answers].sort((one, other) => one.endedMs - other.endedMs)) {
    if (answer.claim === null) continue;
    const claims = byNode.get(answer.claim.node) ?? new Map<string, ClaimAnswer>();
    byNode.set(answer.claim.node, claims);
    if (!claims.has(answer.claim.claimId)) claims.set(answer.claim.claimId, answer);
  }
  const endings = commands.filter(
    ({ event, payload, outcome }) =>
      outcome.kind !== 'refused' &&
      (event === 'node:claim:release' || (event === 'node:update' && isEndingStatus(payload.status))),
  );
  return [...byNode].flatMap(([node, claims]) => {
    const ofNode = endings.filter(({ payload }) => payload.id === node);
    const ordered = [...claims.values()].sort((one, other) => beginOf(one) - beginOf(other));
    return ordered.flatMap((next, index) => {
      const before = ordered[index - 1];
      if (before === undefined || beginOf(next) >= endOf(before)) return [];
      if (ofNode.some((ending) => mayEnd(ending, before, next))) return [];
      const what = `${node}: ${before.client} until ${before.claim?.until}, and ${next.client}`;
      return [{ kind: TWO_CLAIMS, what, about: [before, next, ofNode.slice(-3)] }];
    });
  });
}

const endOf = ({ claim }: ClaimAnswer) => Date.parse(claim?.until ?? '');
const beginOf = (answer: ClaimAnswer) => endOf(answer) - answer.lease * MINUTE_MS;

function isEndingStatus(status: unknown): boolean {
  return status !== undefined && status !== Status.IN_PROGRESS;
}

/** Whether a command may have ended a claim before the next one began. Without an answer it may be executed late. */
function mayEnd({ payload, calledMs, endedMs, outcome }: Command, before: ClaimAnswer, next: ClaimAnswer): boolean {
  if (namedIn(payload) !== before.claim?.claimId) return false;
  const latestMs = outcome.kind === 'unknown' ? endedMs + LATEST_MS : endedMs;
  return calledMs < next.endedMs && latestMs > before.calledMs;
}

/** The claim that a command names. */
export function namedIn({ claim, claimId }: Command['payload']): unknown {
  return claim ?? claimId;
}

/** Agents repeat a claim without an answer until they have one. */
function checkLost(commands: readonly Command[]): Anomaly[] {
  return commands
    .filter(({ event, outcome }) => event === 'node:claim' && outcome.kind === 'unknown')
    .map((command) => ({ kind: 'a claim was not found by its key', what: command.key, about: [command] }));
}

interface StoredClaim {
  readonly claimId: string;
  readonly until: string;
}
type StoredClaims = ReadonlyMap<string, StoredClaim>;

/** By the stored order: the claims of each node follow each other, and none acts after its end. */
function checkHistory(orders: SerialOrders, owner: OwnerOrder, commands: Records['commands']): Anomaly[] {
  let claims: StoredClaims = new Map();
  return owner.batches.flatMap((all) => {
    // The batch may also be in the orders of other owners.
    const isOwn = ({ id, kind }: Change) => kind === 'node' && orders.entityOf(id)?.owner === owner;
    const batch = { ...all, changes: all.changes.filter(isOwn) };
    const before = claims;
    claims = claimsAfter(batch, before);
    return [
      ...checkFence(batch, commands.get(batch.key), before),
      ...checkExpiry(batch, before),
      ...checkBegins(batch, before, claims),
    ];
  });
}

function claimsAfter({ changes }: Batch, before: StoredClaims): StoredClaims {
  if (changes.every(({ after }) => after?.claimId === undefined && after?.claimUntil === undefined)) return before;
  const claims = new Map(before);
  for (const { id, after } of changes) {
    const claim = claims.get(id);
    const { claimId = claim?.claimId, claimUntil = claim?.until } = after ?? { claimId: null };
    if (typeof claimId === 'string' && typeof claimUntil === 'string') claims.set(id, { claimId, until: claimUntil });
    else claims.delete(id);
  }
  return claims;
}

/** A command that names a claim needs it, and all but a release need it in force. */
function checkFence(batch: Batch, command: Command | undefined, before: StoredClaims): readonly Anomaly[] {
  if (command === undefined) return [];
  const { event, payload, key } = command;
  const named = namedIn(payload);
  if (named === undefined || batch.changes.every(({ id }) => id !== payload.id)) return [];
  const claim = before.get(String(payload.id));
  const isInForce = claim !== undefined && claim.until > batch.ts;
  if (claim?.claimId === named && (isInForce || event === 'node:claim:release')) return [];
  const what = `${key} names ${named}, and the node has ${claim?.claimId} until ${claim?.until}`;
  return [{ kind: 'a command of an ended claim was executed', what, about: [command, batch] }];
}

function checkExpiry(batch: Batch, before: StoredClaims): readonly Anomaly[] {
  if (batch.event !== CLAIM_EXPIRY) return [];
  return batch.changes.flatMap((change) => {
    const { id, after } = change;
    const claim = before.get(id);
    if (claim === undefined || Object.keys(after ?? {}).some((field) => !EXPIRED_FIELDS.has(field))) {
      const what = `${change.kind} ${id} at ${batch.ts}: ${JSON.stringify(after)}`;
      return [{ kind: 'a job changed more than an ended claim', what, about: [batch] }];
    }
    if (claim.until <= batch.ts) return [];
    const what = `${id} at ${batch.ts}, whose claim ends at ${claim?.until}`;
    return [{ kind: 'a job ended a claim too early', what, about: [batch] }];
  });
}

/** A claim that follows another in the same batch began while that one was the node's claim. */
function checkBegins(batch: Batch, before: StoredClaims, after: StoredClaims): readonly Anomaly[] {
  if (before === after) return [];
  return [...new Set(batch.changes.map(({ id }) => id))].flatMap((id) => {
    const [claim, next] = [before.get(id), after.get(id)];
    const isOther = claim !== undefined && next !== undefined && claim.claimId !== next.claimId;
    if (!isOther || claim.until <= batch.ts) return [];
    const what = `${id}: ${claim.claimId} until ${claim.until}, and ${next.claimId} from ${batch.ts}`;
    return [{ kind: TWO_CLAIMS, what, about: [batch] }];
  });
}
