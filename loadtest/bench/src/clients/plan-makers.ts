// Creates one plan in two ways: from a file, with the code of `taskgraph import` over REST, and
// with one command for each task over a socket.

import { connect, rest, type TaskgraphClient } from '@taskgraph/client';
import {
  type Caller,
  EMPTY_FIELDS,
  readFile,
  runImport,
  type TransferGraph,
  writeFile,
} from '@taskgraph/client/transfer';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { operationOf } from '@taskgraph/wire/operations/operations';

/** The token of the plan's owner, and the number of trees. */
export interface PlanRequest {
  readonly token: string;
  readonly trees: number;
}

/** The acts of a plan process. They return milliseconds. */
export interface PlanMakerActs {
  importFile(request: PlanRequest): Promise<number>;
  /** `underWay` is the number of concurrent commands. */
  makeOneByOne(request: PlanRequest & { readonly underWay: number }): Promise<number>;
}

/** Each tree is a task blocked by groups, which are blocked by tasks. */
const GROUPS = 7;
const TASKS = 6;
export const TREE_NODES = 1 + GROUPS + GROUPS * TASKS;

interface PlannedTask {
  readonly key: string;
  readonly title: string;
  readonly volume: number;
  /** The key of the task that this one blocks, or null. */
  readonly parent: string | null;
}

/**
 * Level by level: a task comes long after the one that it blocks, so that many commands can run
 * concurrently.
 */
function tasksOf(trees: number): PlannedTask[] {
  const levels: PlannedTask[][] = [[], [], []];
  const add = (level: number, key: string, parent: string | null) =>
    levels[level]?.push({ key, title: `Task ${key}`, volume: 1 + (key.length % 9), parent });
  for (let tree = 0; tree < trees; tree++) {
    add(0, `${tree}`, null);
    for (let group = 0; group < GROUPS; group++) {
      add(1, `${tree}.${group}`, `${tree}`);
      for (let task = 0; task < TASKS; task++) add(2, `${tree}.${group}.${task}`, `${tree}.${group}`);
    }
  }
  return levels.flat();
}

function fileOf(trees: number): string {
  const tasks = tasksOf(trees);
  const graph: TransferGraph = {
    nodes: tasks.map(({ key, title, volume }) => ({ ...EMPTY_FIELDS, key, line: null, title, volume })),
    links: tasks.flatMap(({ key, parent }) =>
      parent === null ? [] : [{ source: key, target: parent, type: 0, private: false }],
    ),
    leftOut: [],
  };
  return writeFile(graph, 'taskgraph', { now: new Date().toISOString(), ids: new Map() }).text;
}

export async function openPlanMakers({ url }: { url: string }): Promise<PlanMakerActs> {
  return {
    async importFile({ token, trees }) {
      const file = fileOf(trees);
      const startedAt = performance.now();
      const report = await runImport(overRest(url, token), readFile(file, 'taskgraph'), { file, format: 'taskgraph' });
      const ms = performance.now() - startedAt;
      if (report.there > 0 || report.leftOut.length > 0) throw new Error('the import did not make all of the plan');
      return ms;
    },
    async makeOneByOne({ token, trees, underWay }) {
      const tasks = tasksOf(trees);
      const client = await connect({ url, token });
      try {
        const startedAt = performance.now();
        await makeAll(client, tasks, underWay);
        return performance.now() - startedAt;
      } finally {
        client.close();
      }
    },
  };
}

/** Calls over REST as the command line does, without a socket and its pushes. */
function overRest(url: string, token: string): Caller {
  const { request } = rest({ url, token });
  return {
    async call(event, payload, { idempotencyKey, dryRun, timeoutMs } = {}) {
      const route = operationOf(event)?.transports.rest;
      if (route === undefined) throw new Error(`${event} has no route`);
      return request(route.method, route.path, {
        body: dryRun === true ? { ...payload, dryRun } : payload,
        ...definedFields({ idempotencyKey, timeoutMs }),
      });
    },
  };
}

/** Creates each task together with its link; fewer commands are not possible. */
async function makeAll(client: TaskgraphClient, tasks: readonly PlannedTask[], underWay: number): Promise<void> {
  const made = new Map<string, Promise<string>>();
  const make = async ({ title, volume, parent }: PlannedTask) => {
    const target = parent === null ? {} : { target: await made.get(parent) };
    const { diff } = await client.node.add({ title, volume, ...target });
    return diff.nodes.find(({ after }) => after.title === title)?.after.id as string;
  };
  const left = tasks.values();
  const worker = async () => {
    for (const task of left) {
      const id = make(task);
      made.set(task.key, id);
      await id;
    }
  };
  await Promise.all(Array.from({ length: underWay }, worker));
}
