// Compares clients that only read changes with fresh reads. Rule: EVT2.
import type { ModelUser } from '@taskgraph/reference-model/state';
import { expect } from 'vitest';
import { ask, type Body, type Entity, type Look, type Replica } from './checked-reads.ts';

/** A client that reads only changes has the same state as a fresh read. */
export async function catchUp(look: Look, user: ModelUser, graph: Body): Promise<void> {
  const fresh = replicaOf(graph);
  const held = look.replicas.get(user.id);
  look.replicas.set(user.id, fresh);
  if (held === undefined) return;
  let lost = 0;
  for (let cursor: unknown; ; ) {
    const answer = await ask(look, user, 'changes:get', { since: held.position, ...(cursor ? { cursor } : {}) });
    if (answer.resetRequired === true) return;
    for (const node of answer.nodes as Entity[]) held.nodes.set(node.id, node);
    for (const link of answer.links as Entity[]) held.links.set(link.id, link);
    const gone = answer.gone as { nodes: string[]; links: string[] };
    for (const id of gone.nodes) held.nodes.delete(id);
    for (const id of gone.links) held.links.delete(id);
    lost += (answer.feeds as { lost: string[] }).lost.length;
    cursor = answer.next;
    if (answer.hasMore !== true) break;
  }
  // No entry names the entities that left a lost feed in the meantime, so the client asks which are
  // left (EVT2).
  if (lost > 0) {
    for (const id of held.nodes.keys()) if (!fresh.nodes.has(id)) held.nodes.delete(id);
    for (const id of held.links.keys()) if (!fresh.links.has(id)) held.links.delete(id);
  }
  for (const [id, { source, target }] of held.links) {
    if (!held.nodes.has(source as string) || !held.nodes.has(target as string)) held.links.delete(id);
  }
  expect(told(user, held)).toEqual(told(user, fresh));
}

function replicaOf({ position, nodes, links }: Body): Replica {
  const byId = (list: unknown) => new Map((list as Entity[]).map((one) => [one.id, one]));
  return { position: position as string, nodes: byId(nodes), links: byId(links) };
}

/** Level and share roots can change without the node. Clients derive them from their feeds. */
function told(user: ModelUser, { nodes, links }: Replica): object {
  const plain = ({ access: _access, shareRoots: _roots, publicToken: _token, ...node }: Entity) => node;
  const linkFields = ({ id, source, target, type, version, wasBlocker, private: hidden }: Entity) => ({
    id,
    source,
    target,
    type,
    version,
    wasBlocker,
    hidden,
  });
  const sorted = (list: Iterable<Entity>) => [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
  return {
    reader: user.username,
    nodes: sorted(nodes.values()).map(plain),
    links: sorted(links.values()).map(linkFields),
  };
}
