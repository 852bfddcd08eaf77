// Remembers who owns what, so that most groups can lock without a look-up: a node's owner never changes, nor do a link's two ends.
import type { Needs, World } from '@taskgraph/domain/world';
import type { LockedUser, LockRequest } from '@taskgraph/graph-store/lock';
import { LRUCache } from 'lru-cache';
import type { Job } from './job.ts';

const REMEMBERED = 200_000;

export interface OwnerCache {
  /** What a group has to lock: its callers, the owners of the nodes and of the link ends that it names, and `extra`. */
  lockRequest(jobs: readonly Job[], needs: Needs, extra: ReadonlySet<string>): LockRequest;
  /** Remembers what was loaded. Returns the owners of loaded nodes that are not locked: the group must start again with them. */
  learn(world: World, locked: ReadonlyMap<string, LockedUser>): string[];
}

export function createOwnerCache(): OwnerCache {
  const ofNode = new LRUCache<string, string>({ max: REMEMBERED });
  const ofLink = new LRUCache<string, readonly string[]>({ max: REMEMBERED });
  return {
    lockRequest(jobs, needs, extra) {
      const users = new Set(extra);
      const nodes = new Set<string>();
      const links = new Set<string>();
      for (const { message } of jobs) users.add(message.actor.id);
      for (const id of needs.nodes ?? []) {
        const owner = ofNode.get(id);
        if (owner === undefined) nodes.add(id);
        else users.add(owner);
      }
      for (const id of needs.links ?? []) {
        const owners = ofLink.get(id);
        if (owners === undefined) links.add(id);
        else for (const owner of owners) users.add(owner);
      }
      return { users: [...users], nodes: [...nodes], links: [...links] };
    },
    learn(world, locked) {
      const outside = new Set<string>();
      for (const node of world.nodes.values()) {
        if (node === null) continue;
        ofNode.set(node.id, node.ownerId);
        if (!locked.has(node.ownerId)) outside.add(node.ownerId);
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
