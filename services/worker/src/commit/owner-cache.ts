// Remembers who owns what, so that most groups can lock without a look-up: a node's owner never
// changes, nor do a link's two ends.
import type { KnownOwners } from '@taskgraph/commands/pipeline/initial-read-set';
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import type { LockedUser } from '@taskgraph/domain/state/state';
import type { World } from '@taskgraph/domain/state/world';
import type { LockRequest } from '@taskgraph/graph-store/commit/lock';
import { isSystem } from '@taskgraph/wire/actor';
import { LRUCache } from 'lru-cache';
import type { Job } from './job.ts';

const CACHED_OWNERS = 200_000;

export interface OwnerCache extends KnownOwners {
  /**
   * The locks of a group: its callers, the owners of the nodes and of the link ends that it names,
   * and `extra`.
   */
  lockRequest(
    jobs: readonly Job[],
    readSet: ReadSet,
    extra: { readonly users: ReadonlySet<string>; readonly emails: ReadonlySet<string> },
  ): LockRequest;
  /**
   * Remembers what was loaded. Returns the owners of loaded nodes that are not locked: the group
   * must start again with them.
   */
  learn(world: World, locked: ReadonlyMap<string, LockedUser>): string[];
}

export function createOwnerCache(): OwnerCache {
  const ofNode = new LRUCache<string, string>({ max: CACHED_OWNERS });
  const ofLink = new LRUCache<string, readonly string[]>({ max: CACHED_OWNERS });
  return {
    lockRequest(jobs, readSet, extra) {
      const users = new Set(extra.users);
      const nodes = new Set<string>();
      const links = new Set<string>();
      for (const { message } of jobs) if (!isSystem(message.actor)) users.add(message.actor.id);
      for (const id of readSet.nodes ?? []) {
        const owner = ofNode.get(id);
        if (owner === undefined) nodes.add(id);
        else users.add(owner);
      }
      for (const id of readSet.links ?? []) {
        const owners = ofLink.get(id);
        if (owners === undefined) links.add(id);
        else for (const owner of owners) users.add(owner);
      }
      return { users: [...users], nodes: [...nodes], links: [...links], emails: [...extra.emails] };
    },
    ownerOf: (nodeId) => ofNode.get(nodeId),
    ownsBothEnds: (linkId, userId) => ofLink.get(linkId)?.every((owner) => owner === userId) ?? false,
    learn(world, locked) {
      const outside = new Set<string>();
      const require = (owner: string) => {
        if (!locked.has(owner)) outside.add(owner);
      };
      for (const owner of world.owners.values()) require(owner);
      for (const feed of world.feeds.values()) if (feed !== null) require(feed.ownerId);
      for (const node of world.nodes.values()) {
        if (node === null) continue;
        ofNode.set(node.id, node.ownerId);
        require(node.ownerId);
      }
      for (const link of world.links.values()) {
        if (link === null) continue;
        const ends = [world.nodes.get(link.source)?.ownerId, world.nodes.get(link.target)?.ownerId];
        const owners = ends.filter((owner) => owner !== undefined);
        if (owners.length === 2) ofLink.set(link.id, owners);
      }
      return [...outside];
    },
  };
}
