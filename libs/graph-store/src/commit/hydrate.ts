// Puts what a load found into the world: nodes with their feeds, links, and the lists that are complete.

import { grantKey } from '@taskgraph/domain/state/change';
import { type GrantState, isWhole, type LinkState, type NodeState } from '@taskgraph/domain/state/state';
import { pairKey, type World } from '@taskgraph/domain/state/world';
import { decodeFeed, decodeGrant, decodeLink, decodeNode } from '../driver/codec.ts';
import type { Row } from '../driver/database.ts';
import { type Limit, linksBoundOf } from './load-bounds.ts';

/**
 * A node with its rows, and its feeds where they came too. What is there already stays: it is as new, since all is read under the locks. Only
 * what came as the end of a link gives way to what comes with its content.
 */
export function keepNode(world: World, value: unknown): NodeState {
  const { p, in: rows, feeds } = value as { p: unknown; in: [string, string | null][]; feeds?: unknown[] };
  const node = decodeNode(p);
  const known = world.nodes.get(node.id);
  if (!known || (isWhole(node) && !isWhole(known))) world.nodes.set(node.id, node);
  keepRows(world, node.id, rows);
  for (const feed of feeds ?? []) keepFeed(world, feed);
  return node;
}

function keepRows(world: World, id: string, rows: readonly [string, string | null][]): void {
  if (!world.members.has(id)) world.members.set(id, new Map(rows));
}

function keepFeed(world: World, properties: unknown): void {
  const feed = decodeFeed(properties);
  if (!world.feeds.get(feed.id)) world.feeds.set(feed.id, feed);
}

export function keepLink(world: World, row: Row, source: string, target: string): LinkState {
  const link = decodeLink({ type: row.type ?? 'BLOCKS', properties: row.properties, source, target });
  if (!world.links.get(link.id)) world.links.set(link.id, link);
  return link;
}

export function keepNodes(world: World, ids: readonly string[], rows: Row[]): void {
  for (const row of rows) world.degrees.set(keepNode(world, row.node).id, row.degree as number);
  for (const id of ids) if (!world.nodes.has(id)) world.nodes.set(id, null);
}

export function keepLinks(world: World, ids: readonly string[], rows: Row[]): void {
  for (const row of rows) keepLink(world, row, keepNode(world, row.source).id, keepNode(world, row.target).id);
  for (const id of ids) if (!world.links.has(id)) world.links.set(id, null);
}

/** Rows by their start; a start with more rows than the bound overflows and is left out. */
function byStart(rows: Row[], name: string, { bounds, overflowing }: Limit): Map<string, Row[]> {
  const grouped = new Map<string, Row[]>();
  for (const row of rows) {
    const start = row[name] as string;
    const group = grouped.get(start);
    if (group) group.push(row);
    else grouped.set(start, [row]);
  }
  for (const [start, group] of grouped) {
    if (group.length <= bounds.entities) continue;
    overflowing.add(start);
    grouped.delete(start);
  }
  return grouped;
}

export function keepLinksOn(world: World, ids: readonly string[], rows: Row[], limit: Limit): void {
  keepListed(world, world.linksOn, ids, byStart(rows, 'id', limit), limit);
}

export function keepActiveOn(world: World, ids: readonly string[], rows: Row[], { bounds, overflowing }: Limit): void {
  const limit = { bounds: { ...bounds, entities: linksBoundOf(bounds) }, overflowing };
  keepListed(world, world.activeOn, ids, byStart(rows, 'id', limit), limit);
}

export function keepReturningOn(world: World, ids: readonly string[], rows: Row[], limit: Limit): void {
  keepListed(world, world.returningOn, ids, byStart(rows, 'id', limit), limit);
  for (const row of rows) world.degrees.set((row.other as { p: { id: string } }).p.id, row.degree as number);
}

function keepListed(
  world: World,
  list: Map<string, ReadonlySet<string>>,
  ids: readonly string[],
  grouped: ReadonlyMap<string, Row[]>,
  { overflowing }: Limit,
): void {
  for (const id of ids) {
    if (overflowing.has(id)) continue;
    const links = (grouped.get(id) ?? []).map((row) => {
      const other = keepNode(world, row.other).id;
      return (row.leaves ? keepLink(world, row, id, other) : keepLink(world, row, other, id)).id;
    });
    list.set(id, new Set(links));
  }
}

export function keepBetween(world: World, pairs: readonly string[][], rows: Row[]): void {
  const found = new Map<string, Set<string>>(pairs.map(([one = '', other = '']) => [pairKey(one, other), new Set()]));
  for (const row of rows) {
    const link = keepLink(world, row, row.source as string, row.target as string);
    found.get(pairKey(link.source, link.target))?.add(link.id);
  }
  for (const [pair, links] of found) world.between.set(pair, links);
}

export function keepTargets(world: World, ids: readonly string[], rows: Row[], limit: Limit): void {
  const grouped = byStart(rows, 'id', limit);
  for (const id of ids) {
    if (limit.overflowing.has(id)) continue;
    const links = new Map<string, string>();
    for (const row of grouped.get(id) ?? []) {
      const target = keepNode(world, row.target);
      links.set(keepLink(world, row, id, target.id).id, target.id);
    }
    world.primaryFrom.set(id, links);
  }
}

export function keepSources(world: World, ids: readonly string[], rows: Row[], limit: Limit): void {
  const grouped = byStart(rows, 'id', limit);
  for (const id of ids) {
    if (limit.overflowing.has(id)) continue;
    const links = (grouped.get(id) ?? []).map((row) => keepLink(world, row, keepNode(world, row.source).id, id).id);
    world.primaryInto.set(id, { links: new Set(links), exhaustive: true });
  }
}

export function keepBlockers(world: World, ids: readonly string[], rows: Row[]): void {
  const found = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
  for (const row of rows) {
    const target = row.id as string;
    found.get(target)?.add(keepLink(world, row, keepNode(world, row.source).id, target).id);
  }
  // What is loaded in full already stays so: a cut list must not take its place.
  for (const [id, links] of found)
    if (!world.primaryInto.has(id)) world.primaryInto.set(id, { links, exhaustive: false });
}

export function keepClosures(world: World, ids: readonly string[], rows: Row[], limit: Limit): void {
  for (const group of byStart(rows, 'start', limit).values()) {
    for (const row of group) {
      const id = row.node as string;
      world.owners.set(id, row.owner as string);
      if (!world.primaryFrom.has(id)) world.primaryFrom.set(id, new Map(row.out as [string, string][]));
    }
  }
  // A start that does not exist leads nowhere.
  for (const id of ids)
    if (!limit.overflowing.has(id) && !world.primaryFrom.has(id)) world.primaryFrom.set(id, new Map());
}

export function keepMembers(world: World, ids: readonly string[], rows: Row[]): void {
  for (const row of rows) keepMember(world, row);
  // What does not exist belongs to nothing.
  for (const id of ids) if (!world.members.has(id)) world.members.set(id, new Map());
}

export function keepMember(world: World, row: Row): string {
  const id = row.id as string;
  world.owners.set(id, row.owner as string);
  keepRows(world, id, row.in as [string, string | null][]);
  for (const feed of (row.feeds as unknown[] | undefined) ?? []) keepFeed(world, feed);
  return id;
}

export function keepNeighbours(world: World, ids: readonly string[], rows: Row[], limit: Limit): void {
  const grouped = byStart(rows, 'start', limit);
  for (const id of ids) {
    if (limit.overflowing.has(id)) continue;
    const links = (grouped.get(id) ?? []).map((row) => [row.link as string, keepMember(world, row)] as const);
    world.neighbours.set(id, new Map(links));
  }
}

export function keepBelow(world: World, rows: Row[], limit: Limit): void {
  for (const group of byStart(rows, 'start', limit).values()) {
    for (const row of group) {
      const id = keepMember(world, row);
      const from = row.from as Row[];
      for (const target of from) keepMember(world, target);
      if (!world.conveyedInto.has(id)) world.conveyedInto.set(id, new Map(row.into as [string, string][]));
      if (world.conveyedFrom.has(id)) continue;
      world.conveyedFrom.set(id, new Map(from.map((target) => [target.link as string, target.id as string])));
    }
  }
}

export function keepFeeds(world: World, names: readonly string[], rows: Row[]): void {
  for (const row of rows) keepFeed(world, row);
  for (const name of names) if (!world.feeds.has(name)) world.feeds.set(name, null);
}

function keepGrant(world: World, properties: unknown): GrantState {
  const grant = decodeGrant(properties);
  const key = grantKey(grant.nodeId, grant.email);
  if (!world.grants.get(key)) world.grants.set(key, grant);
  return grant;
}

export function keepGrants(world: World, keys: readonly string[], rows: Row[]): void {
  for (const row of rows) keepGrant(world, row);
  for (const key of keys) if (!world.grants.has(key)) world.grants.set(key, null);
}

export function keepAccess(world: World, rows: Row[]): void {
  for (const { key, grant } of rows as { key: string; grant: unknown }[]) {
    if (grant !== null) keepGrant(world, grant);
    else if (!world.grants.has(key)) world.grants.set(key, null);
  }
}

export function keepLinksBy(world: World, rows: Row[]): void {
  for (const { node, owner, count } of rows as { node: string; owner: string; count: number }[]) {
    world.linksBy.set(pairKey(node, owner), count);
  }
}

export function keepGrantsOn(world: World, ids: readonly string[], rows: Row[], limit: Limit): void {
  const grouped = byStart(rows, 'node', limit);
  for (const id of ids) {
    if (limit.overflowing.has(id)) continue;
    const grants = (grouped.get(id) ?? []).map(({ grant }) => keepGrant(world, grant));
    world.grantsOn.set(id, new Set(grants.map(({ nodeId, email }) => grantKey(nodeId, email))));
  }
}

/** All copies of an e-mail's grants came: what is not among them has none. */
export function keepCopies(world: World, keys: readonly string[], rows: Row[]): void {
  const copies = new Map<string, Set<string>>(keys.map((key) => [key, new Set()]));
  for (const row of rows) {
    const { nodeId, email, copyOf } = keepGrant(world, row);
    const own = grantKey(nodeId, email);
    if (!copies.has(own)) copies.set(own, new Set());
    if (copyOf === null) continue;
    const original = grantKey(copyOf, email);
    copies.set(original, (copies.get(original) ?? new Set()).add(own));
  }
  for (const [key, followers] of copies) if (!world.copies.has(key)) world.copies.set(key, followers);
}

/** What nobody ever granted anything to is nobody's either. */
export function keepReaders(world: World, emails: readonly string[], rows: Row[]): void {
  for (const { email, user } of rows as { email: string; user: string | null }[]) world.readers.set(email, user);
  for (const email of emails) if (!world.readers.has(email)) world.readers.set(email, null);
}
