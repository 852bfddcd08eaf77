// Puts loaded nodes, links and grants into the world. An entity already present stays: both were
// read under the same locks.
import { grantKey } from '@taskgraph/domain/state/change';
import { type GrantState, isWhole, type LinkState, type NodeState } from '@taskgraph/domain/state/state';
import type { World } from '@taskgraph/domain/state/world';
import { decodeFeed, decodeGrant, decodeLink, decodeNode } from '../../driver/codec.ts';
import type { Row } from '../../driver/database.ts';
import type { Load } from './loader.ts';

/** A node with its memberships, and its feeds if loaded. A full node replaces its outline. */
export function mergeNode(world: World, value: unknown): NodeState {
  const { p, in: rows, feeds } = value as { p: unknown; in: [string, string | null][]; feeds?: unknown[] };
  const node = decodeNode(p);
  const known = world.nodes.get(node.id);
  if (!known || (isWhole(node) && !isWhole(known))) world.nodes.set(node.id, node);
  mergeRows(world, node.id, rows);
  for (const feed of feeds ?? []) mergeFeed(world, feed);
  return node;
}

function mergeRows(world: World, id: string, rows: readonly [string, string | null][]): void {
  if (!world.members.has(id)) world.members.set(id, new Map(rows));
}

export function mergeFeed(world: World, properties: unknown): void {
  const feed = decodeFeed(properties);
  if (!world.feeds.get(feed.id)) world.feeds.set(feed.id, feed);
}

export function mergeLink(world: World, row: Row, source: string, target: string): LinkState {
  const link = decodeLink({ type: row.type ?? 'BLOCKS', properties: row.properties, source, target });
  if (!world.links.get(link.id)) world.links.set(link.id, link);
  return link;
}

/** Links on nodes, each with the node at its other end. */
export function mergeLinksOn(
  world: World,
  list: Map<string, ReadonlySet<string>>,
  ids: readonly string[],
  grouped: ReadonlyMap<string, Row[]>,
  { overflowing }: Load,
): void {
  for (const id of ids) {
    if (overflowing.has(id)) continue;
    const links = (grouped.get(id) ?? []).map((row) => {
      const other = mergeNode(world, row.other).id;
      return (row.leaves ? mergeLink(world, row, id, other) : mergeLink(world, row, other, id)).id;
    });
    list.set(id, new Set(links));
  }
}

export function mergeMember(world: World, row: Row): string {
  const id = row.id as string;
  world.owners.set(id, row.owner as string);
  mergeRows(world, id, row.in as [string, string | null][]);
  for (const feed of (row.feeds as unknown[] | undefined) ?? []) mergeFeed(world, feed);
  return id;
}

export function mergeGrant(world: World, properties: unknown): GrantState {
  const grant = decodeGrant(properties);
  const key = grantKey(grant.nodeId, grant.email);
  if (!world.grants.get(key)) world.grants.set(key, grant);
  return grant;
}

/** Grants by key; null for absent ones. */
export function mergeAccess(world: World, rows: readonly Row[]): void {
  for (const { key, grant } of rows as { key: string; grant: unknown }[]) {
    if (grant !== null) mergeGrant(world, grant);
    else if (!world.grants.has(key)) world.grants.set(key, null);
  }
}
