// The patches of history operations: the fields that a step changed, with capitalised names (HIS1).
import { SHOWN } from './node-fields.ts';
import type { ModelGrant, ModelLink, ModelNode, ModelOp, ModelState } from './state.ts';
import { cachedOfStep } from './state-cache.ts';

/** The fields of an entity in a patch. */
export type Fields = Record<string, unknown>;

/**
 * A node's fields in history. `withToken` says whether the reader may see its public token. Rules:
 * HIS1, ACL9.
 */
function nodeFields(state: ModelState, node: ModelNode, withToken: boolean): Fields {
  const owner = state.users.find((user) => user.id === node.ownerId);
  const names = withToken ? SHOWN : SHOWN.filter((name) => name !== 'publicToken');
  const fields = names.map((name) => [capitalised(name), node[name]]);
  return {
    ...Object.fromEntries(fields),
    CreatedTime: node.createdTime,
    LastEditedTime: node.lastEditedTime,
    OwnerUsername: owner?.username,
    OwnerEmail: owner?.email,
  };
}

function capitalised(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** A link's fields in history. Rules: HIS1. */
function linkFields(link: ModelLink): Fields {
  return {
    Source: link.source,
    Target: link.target,
    Type: link.type,
    Version: link.version,
    WasBlocker: link.wasBlocker,
    Private: link.private,
    InTrash: link.inTrash,
    LastBatchID: link.lastBatchID,
    CreatedTime: link.createdTime,
    LastEditedTime: link.lastEditedTime,
  };
}

/**
 * A grant's fields in history. Rules: HIS1, ACL6 (`showing` belongs to the grantee and is not in
 * it).
 */
function grantFields(grant: ModelGrant): Fields {
  return {
    Email: grant.email,
    Level: grant.level,
    Due: grant.due,
    Branch: grant.branch,
    Version: grant.version,
  };
}

function fieldsOf(state: ModelState, op: ModelOp, entity: ModelOp['before'], withToken: boolean): Fields {
  if (entity === null) return {};
  if (op.kind === 'node') return nodeFields(state, entity as ModelNode, withToken);
  return op.kind === 'link' ? linkFields(entity as ModelLink) : grantFields(entity as ModelGrant);
}

/**
 * The two patches of a step and its guard. Rules: HIS1.
 *
 * HIS1: both patches contain all changed fields, with `Version` and `LastEditedTime`. A created or
 * removed entity is whole on one side and `{}` on the other. A grant's POST over another is a
 * change (ACL4: the truth is in the inverse patch). An entity that did not exist before has no
 * version, so its guard is empty.
 */
export function patchesOf(state: ModelState, op: ModelOp, withToken: boolean): Patches {
  return cachedOfStep(state, op, `patches ${withToken}`, () => findPatches(state, op, withToken));
}

interface Patches {
  readonly forwardPatch: Fields;
  readonly inversePatch: Fields;
  readonly guard: Fields;
}

function findPatches(state: ModelState, op: ModelOp, withToken: boolean): Patches {
  const before = fieldsOf(state, op, op.before, withToken);
  const after = fieldsOf(state, op, op.after, withToken);
  const guard = op.before === null ? {} : { Version: op.before.version };
  if (op.before === null || op.after === null) return { forwardPatch: after, inversePatch: before, guard };
  const differing = Object.keys(after).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const pick = (fields: Fields) => Object.fromEntries(differing.map((name) => [name, fields[name]]));
  return { forwardPatch: pick(after), inversePatch: pick(before), guard };
}
