// Clients that write without a pause and remember what they were told, for tests that kill parts of a running stack.
import { connect, type TaskgraphClient, TaskgraphError } from '@taskgraph/client';
import type { WireNode } from '@taskgraph/wire/entities';

/** The answers to a writer. Titles are unique, so that a node stands for the command that made it. */
export interface Ledger {
  /** Ids of acknowledged nodes by their title. */
  readonly added: Map<string, string>;
  /** Titles of nodes whose command got no answer. */
  readonly uncertainTitles: Set<string>;
  /** Versions of the counter that an acknowledged update has ended. */
  readonly bumped: number[];
  /** Updates of the counter that got no answer. */
  uncertainBumps: number;
}

export interface Writer {
  readonly ledger: Ledger;
  /** Acknowledged commands so far. */
  count(): number;
  /** Resolves when so many more are acknowledged; rejects after the time. */
  progress(more: number, timeoutMs: number): Promise<void>;
  /** Lets what is under way end, and closes. Rejects with the first failure that no crash explains. */
  stop(): Promise<void>;
}

interface WriterOptions {
  readonly url: string;
  readonly token: string;
  /** Unique in the test. */
  readonly name: string;
  /** A node of the user that all writers of that user count up. */
  readonly counter: string;
}

/** Commands of one writer that are under way at once. */
const LANES = 4;
const POLL_MS = 50;

/** Codes that say nothing about whether the command was done. */
const WITHOUT_ANSWER = new Set(['unavailable', 'client.timeout', 'client.disconnected']);

export async function startWriter(options: WriterOptions): Promise<Writer> {
  const client = await connect(options);
  const ledger: Ledger = { added: new Map(), uncertainTitles: new Set(), bumped: [], uncertainBumps: 0 };
  const count = () => ledger.added.size + ledger.bumped.length;
  let stopping = false;
  const lane = async (number: number) => {
    let version = 1;
    for (let turn = 0; !stopping; turn++) {
      await addNode(client, ledger, `${options.name}/${number}/${turn}`);
      version = await countUp(client, ledger, options.counter, version);
    }
  };
  const lanes = Promise.all(Array.from({ length: LANES }, (_, number) => lane(number)));
  // The caller that stops the writer hears of it.
  lanes.catch(() => undefined);
  return {
    ledger,
    count,
    async progress(more, timeoutMs) {
      const wanted = count() + more;
      const deadline = Date.now() + timeoutMs;
      while (count() < wanted) {
        if (Date.now() > deadline) throw new Error(`${options.name} got ${count() - wanted + more} of ${more} answers`);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    },
    async stop() {
      stopping = true;
      await lanes.finally(() => client.close());
    },
  };
}

async function addNode(client: TaskgraphClient, ledger: Ledger, title: string): Promise<void> {
  try {
    const { diff } = await client.node.add({ title }, { idempotencyKey: title });
    ledger.added.set(title, String(diff.nodes[0]?.after.id));
  } catch (error) {
    requireUncertain(error);
    ledger.uncertainTitles.add(title);
  }
}

/** Takes one step of the counter, whose volume is always its version less one. Gives the version to try next. */
async function countUp(client: TaskgraphClient, ledger: Ledger, id: string, version: number): Promise<number> {
  try {
    await client.node.update({ id, version, volume: version });
    ledger.bumped.push(version);
    return version + 1;
  } catch (error) {
    if (error instanceof TaskgraphError && error.code === 'version_conflict') return Number(error.details.version);
    requireUncertain(error);
    ledger.uncertainBumps++;
    return version;
  }
}

function requireUncertain(error: unknown): void {
  if (!(error instanceof TaskgraphError && WITHOUT_ANSWER.has(error.code))) throw error;
}

/** All nodes that a client sees, page by page. */
export async function readNodes(client: TaskgraphClient): Promise<WireNode[]> {
  const nodes: WireNode[] = [];
  for await (const page of client.graph.pages({ limit: 500 })) nodes.push(...page.nodes);
  return nodes;
}

/**
 * Compares what the writers of one user were told with the nodes that the user has: what was acknowledged is there once, what was not
 * is there at most once, and nothing else is. Gives one line for each difference.
 */
export function findLosses(ledgers: readonly Ledger[], nodes: readonly WireNode[], counter: string): string[] {
  const losses: string[] = [];
  const byTitle = new Map<string, string[]>();
  for (const { id, title } of nodes) byTitle.set(title, [...(byTitle.get(title) ?? []), id]);
  for (const { added, uncertainTitles } of ledgers) {
    for (const [title, id] of added) {
      const found = byTitle.get(title) ?? [];
      if (found.length !== 1 || found[0] !== id) losses.push(`${title}: acknowledged as ${id}, found ${found.join()}`);
    }
    for (const title of uncertainTitles) {
      const times = byTitle.get(title)?.length ?? 0;
      if (times > 1) losses.push(`${title}: not acknowledged, found ${times} times`);
    }
  }
  const known = new Set(ledgers.flatMap(({ added, uncertainTitles }) => [...added.keys(), ...uncertainTitles]));
  for (const { id, title } of nodes)
    if (id !== counter && !known.has(title)) losses.push(`${title}: nobody asked for it`);
  return [
    ...losses,
    ...counterLosses(
      ledgers,
      nodes.find(({ id }) => id === counter),
    ),
  ];
}

function counterLosses(ledgers: readonly Ledger[], counter: WireNode | undefined): string[] {
  if (counter === undefined) return ['the counter is gone'];
  const losses: string[] = [];
  const { version, volume } = counter;
  if (volume !== version - 1) losses.push(`the counter says ${volume} at version ${version}`);
  const bumped = ledgers.flatMap((ledger) => ledger.bumped);
  const uncertain = ledgers.reduce((sum, { uncertainBumps }) => sum + uncertainBumps, 0);
  if (new Set(bumped).size !== bumped.length)
    losses.push('two updates of one version of the counter were acknowledged');
  if (bumped.some((step) => step >= version)) losses.push(`the counter is at ${version} and was acknowledged further`);
  const silent = version - 1 - bumped.length;
  if (silent < 0 || silent > uncertain)
    losses.push(`the counter took ${silent} steps too many, ${uncertain} are uncertain`);
  return losses;
}
