// A plan with tasks of each status, for tests that look at whole screens.
import type { TaskgraphClient } from '@taskgraph/client';

/** Returns the ids of two of its tasks: one that is Blocked, and one in progress that blocks it. */
export async function addSamplePlan(client: TaskgraphClient): Promise<{ blocked: string; open: string }> {
  const add = async (fields: Parameters<typeof client.node.add>[0]) =>
    String((await client.node.add(fields)).diff.nodes[0]?.after.id);
  const launch = await add({ title: 'Go live', volume: 1, tags: ['web'] });
  const blocked = await add({
    title: 'Build the pages',
    target: launch,
    volume: 5,
    description: 'One page for each product.\nAll of them work without a pointer.',
    assignee: ['Ann'],
    tags: ['web', 'release'],
    priority: 2,
    dueDate: '2099-12-12',
  });
  const open = await add({
    title: 'Write the texts',
    target: blocked,
    volume: 4,
    dueDate: '2020-01-31',
    assignee: ['Ann', 'Bob'],
    status: 1,
  });
  await add({ title: 'Draw the pictures', target: blocked, volume: 2 });
  await add({ title: 'Rent a server', target: launch, volume: 1, status: 3 });
  await client.batch((batch) => {
    for (const title of [
      'Set up the domain',
      'Invite the press',
      'Ask three customers for a quote about the new product',
    ]) {
      batch.node.add({ title, target: launch, volume: 2 });
    }
  });
  return { blocked, open };
}
