// Feeds: the feeds of a user's sockets, and the members of each.
import { branchFeed, nodeFeed, subjectOfFeed, userFeed } from '@taskgraph/wire/feeds';
import type { ModelState, ModelUser } from '../state.ts';
import { grantsInForce, isBranchRoot, membershipOf } from './access.ts';

/** A feed of a user, with the user's level through it. */
export interface ModelFeed {
  readonly feed: string;
  readonly level: number;
}

/**
 * The feeds of a user's sockets: their own first, then one for each grant in force that they have
 * not hidden. Rules: EVT1, EVT2, ACL5, ACL6.
 *
 * EVT2: a grant on a node in the trash still counts; its feed is empty until the node is restored.
 */
export function feedsOf(state: ModelState, user: ModelUser, now: string): ModelFeed[] {
  const granted = grantsInForce(state, now)
    .filter((grant) => grant.email === user.email && grant.showing)
    .map((grant) => ({ feed: grant.branch ? branchFeed(grant.nodeId) : nodeFeed(grant.nodeId), level: grant.level }))
    .sort((a, b) => (a.feed < b.feed ? -1 : 1));
  return [{ feed: userFeed(user.id), level: 0 }, ...granted];
}

/** The active nodes of a feed. Rules: ACL1 (a user's tree), ACL2 (a branch). */
function nodesOf(state: ModelState, feed: string): Set<string> {
  const subject = subjectOfFeed(feed);
  const active = state.nodes.filter((node) => !node.inTrash);
  const members = active.filter((node) => {
    if (feed === nodeFeed(subject)) return node.id === subject;
    const { roots, owners } = membershipOf(state, node.id);
    return feed === userFeed(subject) ? owners.has(subject) : isBranchRoot(state, subject) && roots.has(subject);
  });
  return new Set(members.map((node) => node.id));
}

/**
 * The content of a feed, by id: active nodes and the links between them. Only a user's own feed
 * contains private links, and only the user's own. Rules: ACL1, ACL2, LNK9.
 */
export function feedMembers(state: ModelState, feed: string): { nodes: string[]; links: string[] } {
  const nodes = nodesOf(state, feed);
  const links = state.links
    .filter((link) => !link.inTrash && nodes.has(link.source) && nodes.has(link.target))
    .filter((link) => !link.private || feed === userFeed(link.ownerId));
  return { nodes: [...nodes].sort(), links: links.map((link) => link.id).sort() };
}
