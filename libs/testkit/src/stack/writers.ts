// Clients that write without a pause and store their answers, for tests that kill parts of a
// running stack.
import { connect, type TaskgraphClient, TaskgraphError } from '@taskgraph/client';
import type { WireNode } from '@taskgraph/wire/entities';

/** The answers to a writer. Titles are unique, so a node identifies the command that created it. */
export interface Ledger {
  /** Ids of acknowledged nodes by their title. */
  readonly added: Map<string, string>;
  /** Titles of nodes whose command got no answer. */
  readonly uncertainTitles: Set<string>;
  /** Versions of the counter that an acknowledged update replaced. */
  readonly bumped: number[];
  /** Updates of the counter without an answer. */
  uncertainBumps: number;
}

export interface Writer {
  readonly ledger: Ledger;
  /** The number of acknowledged commands. */
  count(): number;
  /** Resolves after this many more acknowledgements; rejects after the time. */
  progress(more: number, timeoutMs: number): Promise<void>;
  /**
   * Waits for the pending commands and closes. Rejects with the first failure that no crash
   * explains.
   */
  stop(): Promise<void>;
}

interface WriterOptions {
  readonly url: string;
  readonly token: string;
  /** Unique in the test. */
  readonly name: string;
  /** A node that all writers of the user increment. */
  readonly counter: string;
}

/** The most pending commands of one writer. */
const LANES = 4;
const POLL_MS = 50;

/** Codes that leave open whether the command was executed. */
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
  // `stop` reports it to the caller.
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

/**
 * Increments the counter, whose volume is always its version minus one. Returns the version for the
 * next attempt.
 */
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
 * Compares the answers to the writers of one user with the user's nodes. An acknowledged node
 * exists once, an unacknowledged one at most once, and no other node exists. Returns one line for
 * each difference.
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
