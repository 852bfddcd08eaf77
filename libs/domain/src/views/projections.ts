// From where a batch is seen: by its caller, or by all readers of one feed together. Rules: ACL2, ACL7 to ACL9, LNK9.
import { TAKES_AWAY } from '@taskgraph/wire/codes';
import { branchFeed, subjectOfFeed, userFeed } from '@taskgraph/wire/feeds';
import { rootsToldTo, seesGrant, seesToken } from '../access/access.ts';
import {
  belongsTo,
  feedOn,
  ownedNode,
  type Permissions,
  permissionsOf,
  rowsOf,
  seesLinkIn,
  shareRootsOf,
} from '../access/permissions.ts';
import { type LinkChange, type NodeChange, subjectOf, type VisibleChange } from '../state/change.ts';
import { endsFor } from '../state/ends.ts';
import type { Reader } from '../state/state.ts';
import type { Transition } from '../state/transition.ts';
import type { World } from '../state/world.ts';
import type { Projection, ShownNode } from './view.ts';

/** The subject of a projection; an answer that is given again has no changes of its own. */
type Sides = Omit<Transition, 'changes'>;

/** Of what was deleted, the last that was known. */
function worldOf({ before, after }: Sides, nodeId: string): World {
  return after.nodes.get(nodeId) === null ? before : after;
}

/** How the readers of a feed see a batch: what differs from reader to reader is left out. */
export function projectionOfFeed(transition: Sides, feed: string): Projection {
  return {
    ownerNames: transition.userOf,
    access: () => undefined,
    rootsOf: (nodeId) => {
      const world = worldOf(transition, nodeId);
      const isOwner = feed === userFeed(ownedNode(world, nodeId).ownerId);
      return rootsInPlace(world, nodeId).filter((root) => isOwner || isReadBy(world, root, feed));
    },
    showsToken: ({ ownerId }) => feed === userFeed(ownerId),
  };
}

/** Whether all readers of a feed read this share root. */
function isReadBy(world: World, root: string, feed: string): boolean {
  if (feed.startsWith('node:')) return subjectOfFeed(feed) === root;
  if (feed.startsWith('root:')) return belongsTo(world, root, subjectOfFeed(feed));
  return feed === userFeed(ownerOfRoot(world, root)) || rowsOf(world, root).has(feed);
}

function ownerOfRoot(world: World, root: string): string {
  const known = world.nodes.get(root)?.ownerId ?? world.owners.get(root);
  return known ?? feedOn(world, branchFeed(root))?.ownerId ?? ownedNode(world, root).ownerId;
}

/** How the caller of a command sees its batch, and which of its changes. */
export interface CallersView {
  readonly projection: Projection;
  readonly shows: (change: VisibleChange) => boolean;
  /** Whether the caller sees a link by its id now. */
  readonly showsLink: (linkId: string) => boolean;
}

/** A change that takes an entity away is shown to a caller who saw it before; any other needs sight of it after the batch. */
export function viewOfCaller(transition: Sides, caller: Reader): CallersView {
  const [before, after] = [transition.before, transition.after].map((world) =>
    permissionsOf(world, caller, transition.now),
  ) as [Permissions, Permissions];
  const standingFor = (nodeId: string) => (transition.after.nodes.get(nodeId) === null ? before : after);
  const level = (node: ShownNode) => standingFor(node.id).level(node);
  const levelIn = (world: World, id: string) => standingFor(id).level(ownedNode(world, id));
  return {
    projection: {
      ownerNames: transition.userOf,
      access: (node) => level(node) ?? undefined,
      rootsOf: (nodeId) => visibleRoots(worldOf(transition, nodeId), nodeId, standingFor(nodeId)),
      showsToken: (node) => seesToken(level(node)),
    },
    shows: (change) => {
      if (change.kind === 'grant') {
        const world = worldOf(transition, change.id);
        // A node that was made and deleted again never was (BAT4).
        const level = () => (world.nodes.get(change.id) === null ? null : levelIn(world, change.id));
        return seesGrant(caller, subjectOf(change).email, level);
      }
      const net = { ...change, ...endsFor(transition.ends, change) } as NodeChange | LinkChange;
      if (sees(transition.after, after, net, 'after')) return true;
      return TAKES_AWAY.has(change.op) && sees(transition.before, before, net, 'before');
    },
    showsLink: (linkId) => {
      const link = transition.after.links.get(linkId);
      return link !== undefined && link !== null && seesLinkIn(transition.after, after, link);
    },
  };
}

function sees(
  world: World,
  permissions: Permissions,
  change: NodeChange | LinkChange,
  side: 'before' | 'after',
): boolean {
  if (change.kind === 'link') return change[side] !== null && seesLinkIn(world, permissions, change[side]);
  return change[side] !== null && permissions.level(change[side]) !== null;
}

function visibleRoots(world: World, nodeId: string, permissions: Permissions): string[] {
  const seesRoot = (id: string) => permissions.level({ id, ownerId: ownerOfRoot(world, id) }) !== null;
  return rootsToldTo(permissions.reader, ownedNode(world, nodeId), rootsInPlace(world, nodeId), seesRoot);
}

/** A node that is in the trash at the end belongs to nothing (ACL2), whatever an earlier step says of it. */
function rootsInPlace(world: World, nodeId: string): string[] {
  return world.nodes.get(nodeId)?.inTrash === true ? [] : shareRootsOf(world, nodeId);
}
