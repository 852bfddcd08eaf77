// The effect of a command as far as its caller can tell, shown until the service has answered. Consequences, such as blocking, are the service's.
import type { Changed } from '../calls.ts';
import { type Entity, isWholeLink, isWholeNode, joinSteps, mergeStep } from '../merge-diff.ts';
import { NEW_NODE } from '../node-fields.ts';

/** A change of one entity, laid over it; `undefined` stands for none. */
export interface Patch {
  readonly kind: 'nodes' | 'links';
  readonly id: string;
  /** Of a link that it brings, its ends. */
  readonly ends?: readonly string[];
  readonly apply: (entity: Entity | undefined) => Entity | undefined;
}

/** The part of the graph that optimism looks at. */
export interface Ground {
  linksOn(nodeId: string): Iterable<string>;
}

const PROVISIONAL = 'pending:';

/** The id under which a node or link is shown until the service has made it; the command's key stands in it. */
export function provisionalId(key: string, kind: 'node' | 'link' = 'node'): string {
  return `${PROVISIONAL}${kind}:${key}`;
}

export function isProvisional(id: unknown): id is string {
  return typeof id === 'string' && id.startsWith(PROVISIONAL);
}

type Payload = Readonly<Record<string, unknown>>;

/** The changes that an answer shows until the slices of its batch are here. */
export function effectOf({ nodes, links }: Pick<Changed['diff'], 'nodes' | 'links'>): Patch[] {
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

/** The changes that a command shows at once; none for those whose effect only the service knows. */
export function optimismOf(event: string, payload: Payload, key: string, ground: Ground): Patch[] {
  const id = String(payload.id ?? '');
  switch (event) {
    case 'node:add':
      return nodeAdded(payload, key);
    case 'link:add':
      return [added('links', linkOf(key, payload))];
    case 'node:update':
      return [changed('nodes', id, fieldsOf(payload))];
    case 'link:update':
      return [changed('links', id, fieldsOf(payload))];
    case 'link:swap':
      return [
        {
          kind: 'links',
          id,
          apply: (link) => link && ({ ...link, source: link.target, target: link.source } as Entity),
        },
      ];
    case 'node:trash':
      return [taken('nodes', id), ...[...ground.linksOn(id)].map((link) => taken('links', link))];
    case 'link:trash':
      return [taken('links', id)];
    default:
      return [];
  }
}

function nodeAdded({ target, ...fields }: Payload, key: string): Patch[] {
  const id = provisionalId(key);
  const node = { ...ADDED_NODE, ...fields, id } as unknown as Entity;
  if (typeof target !== 'string') return [added('nodes', node)];
  return [added('nodes', node), added('links', linkOf(key, { source: id, target }))];
}

/** A new node as its maker sees it; version 0 is before the first. */
const ADDED_NODE = { ...NEW_NODE, version: 0, access: 0, shareRoots: [] };

function linkOf(key: string, { source, target, type = 0, private: hidden = false }: Payload): Entity {
  const ends = { source: String(source), target: String(target) };
  return { id: provisionalId(key, 'link'), version: 0, ...ends, type, wasBlocker: false, private: hidden } as Entity;
}

function fieldsOf({ id: _id, version: _version, ...fields }: Payload): Payload {
  return fields;
}

function added(kind: Patch['kind'], entity: Entity): Patch {
  return { kind, id: entity.id, ends: endsOf(entity), apply: (known) => known ?? entity };
}

function endsOf({ source, target }: Entity): string[] {
  return [source, target].filter((end) => typeof end === 'string');
}

function changed(kind: Patch['kind'], id: string, fields: Payload): Patch {
  return { kind, id, apply: (known) => known && ({ ...known, ...fields } as Entity) };
}

function taken(kind: Patch['kind'], id: string): Patch {
  return { kind, id, apply: () => undefined };
}
