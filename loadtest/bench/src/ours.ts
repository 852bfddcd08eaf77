// Our side of the benchmark: the same writes through the whole stack, over sockets of the public API.
import { connect, type TaskgraphClient } from '@taskgraph/client/connect';
import type { Target } from './workload.ts';

/** One socket a writer; a writer's calls go over its own. `tokens` are the owners'. */
export async function openOurs(
  urls: readonly string[],
  tokens: readonly string[],
  sockets: number,
): Promise<{ targets: Target[]; close(): void }> {
  const clients = await Promise.all(
    Array.from({ length: sockets }, (_, index) =>
      connect({ url: urls[index % urls.length] as string, token: tokens[index % tokens.length] as string }),
    ),
  );
  return {
    targets: clients.map(targetOf),
    close() {
      for (const client of clients) client.close();
    },
  };
}

function targetOf(client: TaskgraphClient): Target {
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
