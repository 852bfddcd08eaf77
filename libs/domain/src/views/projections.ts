// The view of a batch by its caller, or by all readers of a feed. Rules: ACL2, ACL7 to ACL9, LNK9.
import { TAKES_AWAY } from '@taskgraph/wire/codes';
import { branchFeed, subjectOfFeed, userFeed } from '@taskgraph/wire/feeds';
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
import { rootsShownTo, seesGrant, seesToken } from '../access/reader-access.ts';
import { type LinkChange, type NodeChange, subjectOf, type VisibleChange } from '../state/change.ts';
import { netChangeOf } from '../state/net-change.ts';
import type { Reader } from '../state/state.ts';
import type { Transition } from '../state/transition.ts';
import type { World } from '../state/world.ts';
import type { Projection, ShownNode } from './view.ts';

/** The transition of a projection. A repeated answer has no changes. */
type ProjectionSubject = Omit<Transition, 'changes'>;

/** The world after the batch, or before it for a deleted node. */
function worldOf({ before, after }: ProjectionSubject, nodeId: string): World {
  return after.nodes.get(nodeId) === null ? before : after;
}

/** The view of a feed's readers, without the parts that depend on the reader. */
export function projectionOfFeed(transition: ProjectionSubject, feed: string): Projection {
  return {
    ownerNames: transition.userOf,
    access: () => undefined,
    rootsOf: (nodeId) => {
      const world = worldOf(transition, nodeId);
      const isOwner = feed === userFeed(ownedNode(world, nodeId).ownerId);
      return activeRoots(world, nodeId).filter((root) => isOwner || isReadBy(world, root, feed));
    },
    showsToken: ({ ownerId }) => feed === userFeed(ownerId),
  };
}

/** Whether all readers of a feed see this share root. */
function isReadBy(world: World, root: string, feed: string): boolean {
  if (feed.startsWith('node:')) return subjectOfFeed(feed) === root;
  if (feed.startsWith('root:')) return belongsTo(world, root, subjectOfFeed(feed));
  return feed === userFeed(ownerOfRoot(world, root)) || rowsOf(world, root).has(feed);
}

function ownerOfRoot(world: World, root: string): string {
  const known = world.nodes.get(root)?.ownerId ?? world.owners.get(root);
  return known ?? feedOn(world, branchFeed(root))?.ownerId ?? ownedNode(world, root).ownerId;
}

/** The caller's view of a batch, and the visibility of its changes. */
export interface CallerView {
  readonly projection: Projection;
  readonly shows: (change: VisibleChange) => boolean;
  /** Whether the caller sees a link now. */
  readonly showsLink: (linkId: string) => boolean;
}

/**
 * The caller sees a change if they see its entity after the batch, or before it if the change takes
 * the entity away.
 */
export function callerView(transition: ProjectionSubject, caller: Reader): CallerView {
  const [before, after] = [transition.before, transition.after].map((world) =>
    permissionsOf(world, caller, transition.now),
  ) as [Permissions, Permissions];
  const permissionsFor = (nodeId: string) => (transition.after.nodes.get(nodeId) === null ? before : after);
  const level = (node: ShownNode) => permissionsFor(node.id).level(node);
  const levelIn = (world: World, id: string) => permissionsFor(id).level(ownedNode(world, id));
  return {
    projection: {
      ownerNames: transition.userOf,
      access: (node) => level(node) ?? undefined,
      rootsOf: (nodeId) => visibleRoots(worldOf(transition, nodeId), nodeId, permissionsFor(nodeId)),
      showsToken: (node) => seesToken(level(node)),
    },
    shows: (change) => {
      if (change.kind === 'grant') {
        const world = worldOf(transition, change.id);
        // A node that was created and deleted in the same batch never existed (BAT4).
        const level = () => (world.nodes.get(change.id) === null ? null : levelIn(world, change.id));
        return seesGrant(caller, subjectOf(change).email, level);
      }
      const net = { ...change, ...netChangeOf(transition.net, change) } as NodeChange | LinkChange;
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
  return rootsShownTo(permissions.reader, ownedNode(world, nodeId), activeRoots(world, nodeId), seesRoot);
}

/** A node that is trashed after the batch has no share roots (ACL2), even in earlier steps. */
function activeRoots(world: World, nodeId: string): string[] {
  return world.nodes.get(nodeId)?.inTrash === true ? [] : shareRootsOf(world, nodeId);
}
