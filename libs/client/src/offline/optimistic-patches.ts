// The expected changes of a command, shown until the service answers. Only the service derives
// further changes, such as blocking.
import { normalizeDue } from '@taskgraph/wire/timestamps';
import type { Changed } from '../calls.ts';
import { type Entity, isWholeLink, isWholeNode, joinSteps, mergeStep } from '../merge-diff.ts';
import { NEW_NODE } from '../node-fields.ts';

/** A change of one entity. `apply` maps the entity, or `undefined` if there is none. */
export interface Patch {
  readonly kind: 'nodes' | 'links';
  readonly id: string;
  /** The ends of an added link. */
  readonly ends?: readonly string[];
  readonly apply: (entity: Entity | undefined) => Entity | undefined;
}

/** The links on each node. */
export interface LinkIndex {
  linksOn(nodeId: string): Iterable<string>;
}

const PROVISIONAL = 'pending:';

/** The id of a node or link until the service has created it. It contains the command's key. */
export function provisionalId(key: string, kind: 'node' | 'link' = 'node'): string {
  return `${PROVISIONAL}${kind}:${key}`;
}

export function isProvisional(id: unknown): id is string {
  return typeof id === 'string' && id.startsWith(PROVISIONAL);
}

type Payload = Readonly<Record<string, unknown>>;

/** The changes of an answer, shown until the slices of its batch arrive. */
export function answerPatches({ nodes, links }: Pick<Changed['diff'], 'nodes' | 'links'>): Patch[] {
  const patchesOf = (kind: Patch['kind'], entries: typeof nodes) =>
    [...joinSteps(entries)].map((step): Patch => {
      const isWhole = kind === 'nodes' ? isWholeNode : isWholeLink;
      const apply = (known: Entity | undefined) => {
        if (step.after.inTrash === true) return undefined;
        const merged = mergeStep(known, step, isWhole);
        if (merged === 'gone') return undefined;
        return merged === 'missing' ? known : merged;
      };
      return { kind, id: step.id, ends: endsOf(step.after as Entity), apply };
    });
  return [...patchesOf('nodes', nodes), ...patchesOf('links', links)];
}

/** The expected changes of a command; none if only the service knows them. */
export function optimisticPatches(event: string, payload: Payload, key: string, linkIndex: LinkIndex): Patch[] {
  const id = String(payload.id ?? '');
  switch (event) {
    case 'node:add':
      return nodeAddPatches(payload, key);
    case 'link:add':
      return [addPatch('links', linkOf(key, payload))];
    case 'node:update':
      return [updatePatch('nodes', id, fieldsOf(payload))];
    case 'link:update':
      return [updatePatch('links', id, fieldsOf(payload))];
    case 'node:claim':
      // Without an id, only the service chooses the node.
      return id === '' ? [] : [updatePatch('nodes', id, { status: IN_PROGRESS })];
    case 'node:claim:release':
      return [updatePatch('nodes', id, { status: AVAILABLE, claimedBy: null, claimUntil: null })];
    case 'link:swap':
      return [
        {
          kind: 'links',
          id,
          apply: (link) => link && ({ ...link, source: link.target, target: link.source } as Entity),
        },
      ];
    case 'node:trash':
      return [removePatch('nodes', id), ...[...linkIndex.linksOn(id)].map((link) => removePatch('links', link))];
    case 'link:trash':
      return [removePatch('links', id)];
    case 'batch:run':
      return operationsOf(payload).flatMap((each) => optimisticPatches(each.event, each.payload, key, linkIndex));
    default:
      return [];
  }
}

/** The operations of a batch without those that create something: only its answer has the ids. */
function operationsOf({ operations }: Payload): { readonly event: string; readonly payload: Payload }[] {
  if (!Array.isArray(operations)) return [];
  // The service refuses what is no operation.
  return operations.filter((each) => each?.payload && !['node:add', 'link:add'].includes(each.event));
}

function nodeAddPatches({ target, ...fields }: Payload, key: string): Patch[] {
  const id = provisionalId(key);
  const node = { ...NODE_DEFAULTS, ...fieldsOf(fields), id } as unknown as Entity;
  if (typeof target !== 'string') return [addPatch('nodes', node)];
  return [addPatch('nodes', node), addPatch('links', linkOf(key, { source: id, target }))];
}

/** A new node as its creator sees it. Version 0 precedes the service's first version. */
const NODE_DEFAULTS = { ...NEW_NODE, version: 0, access: 0, shareRoots: [] };

function linkOf(key: string, { source, target, type = 0, private: hidden = false }: Payload): Entity {
  const ends = { source: String(source), target: String(target) };
  return { id: provisionalId(key, 'link'), version: 0, ...ends, type, wasBlocker: false, private: hidden } as Entity;
}

/** The fields of a node or link, with the due date as the service stores it. */
function fieldsOf({ id: _id, version: _version, claim: _claim, ...fields }: Payload): Payload {
  const { dueDate } = fields;
  const stored = typeof dueDate === 'string' ? { ...fields, dueDate: normalizeDue(dueDate) ?? dueDate } : fields;
  // Only the service knows when a node is completed, but a reopened node has no such time (BLK11).
  return (fields.status ?? COMPLETED) === COMPLETED ? stored : { ...stored, completedTime: null };
}

const AVAILABLE = 0;
const IN_PROGRESS = 1;
const COMPLETED = 3;

function addPatch(kind: Patch['kind'], entity: Entity): Patch {
  return { kind, id: entity.id, ends: endsOf(entity), apply: (known) => known ?? entity };
}

function endsOf({ source, target }: Entity): string[] {
  return [source, target].filter((end) => typeof end === 'string');
}

function updatePatch(kind: Patch['kind'], id: string, fields: Payload): Patch {
  return { kind, id, apply: (known) => known && ({ ...known, ...fields } as Entity) };
}

function removePatch(kind: Patch['kind'], id: string): Patch {
  return { kind, id, apply: () => undefined };
}
