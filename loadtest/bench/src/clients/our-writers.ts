// Writers over the public API. Each has its own socket through the whole stack, and receives the
// pushes of its owner.
import { connect, type TaskgraphClient } from '@taskgraph/client';
import type { WriteTarget } from './workload.ts';
import { createWriters, type WriterActs } from './writers.ts';

interface OurWriterOptions {
  readonly urls: readonly string[];
  /** One token for each owner; writers use them in turn. */
  readonly tokens: readonly string[];
}

export async function openOurWriters({ urls, tokens }: OurWriterOptions): Promise<WriterActs> {
  let clients: TaskgraphClient[] = [];
  const open = (writer: number) =>
    connect({ url: urls[writer % urls.length] as string, token: tokens[writer % tokens.length] as string });
  const writers = createWriters(tokens.length, (writer) => targetOf(clients[writer] as TaskgraphClient));
  return {
    ...writers,
    /**
     * Closes the sockets beyond the number of writers, because each socket of an owner receives
     * every push.
     */
    async prepare(count) {
      for (const client of clients.slice(count)) client.close();
      clients = clients.slice(0, count);
      const missing = Array.from({ length: count - clients.length }, (_, at) => clients.length + at);
      clients.push(...(await Promise.all(missing.map(open))));
      await writers.prepare(count);
    },
  };
}

function targetOf(client: TaskgraphClient): WriteTarget {
  return {
    async addRoot() {
      return firstNode(await client.node.add({ title: 'root' }));
    },
    async addChild(_owner, parent, title) {
      return firstNode(await client.node.add({ target: parent, title }));
    },
    async rename(_owner, id, title) {
      await client.node.update({ id, title });
    },
    async setStatus(_owner, id, status) {
      await client.node.update({ id, status });
    },
    async addLink(_owner, source, target) {
      const { diff } = await client.link.add({ source, target });
      return diff.links[0]?.after.id as string;
    },
    async trashLink(_owner, id) {
      await client.link.trash({ id });
    },
  };
}

function firstNode({ diff }: { diff: { nodes: { after: Record<string, unknown> }[] } }): string {
  return diff.nodes[0]?.after.id as string;
}
