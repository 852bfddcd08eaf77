// Agents that work on a queue: each claims a node, then renews, completes, releases or abandons the
// claim. A claim without an answer is repeated with its key until the agent knows its node.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '@taskgraph/testkit/random';
import type { ClaimAnswer, Command } from '../history/history.ts';
import type { Caller } from './callers.ts';
import { callUntilAnswered, drawDate, now, type RunUser } from './writer.ts';

/** A branch on which only its agents work. */
export interface Queue {
  readonly root: string;
  /** Its nodes without the root, and without those that nobody can claim any more. */
  readonly nodes: string[];
}

export interface AgentOptions {
  readonly caller: Caller;
  readonly runUser: RunUser;
  readonly queue: Queue;
  readonly random: Random;
  readonly commands: Command[];
  readonly claims: ClaimAnswer[];
  /** Attempts to claim that had no answer; the claims are repeated. */
  readonly openAttempts: Command[];
  /** The user to whom this agent grants and revokes its queue; null unless its user owns the queue. */
  readonly guest: RunUser | null;
  readonly stop: AbortSignal;
}

/** The shortest lease, minutes. The checks require that all are equal. */
const LEASE = 1;
/** After the end of each lease, whatever the clocks of the services. */
const ENDED_MS = 65_000;
const EDITOR = 2;
const LONGEST_THINKING_MS = 400;
const MOST_TRIES = 5;
const MOST_REPEATS = 20;
const MOST_NODES = 40;
/** Abandoned claims that an agent remembers. */
const MOST_ABANDONED = 32;
/** At the end, an agent releases the claims that it abandoned less than this time ago. */
const RESUMED_MS = 40_000;
/** Of nodes that are opened again. */
const SHARE_OF_DATES = 0.3;
const SHARE_OF_GRANTS = 0.03;
const SHARE_OF_LATE = 0.15;

interface Claim {
  readonly id: string;
  readonly claimId: string;
  readonly claimedMs: number;
}

/** A claim that may have been executed. */
interface UnansweredClaim {
  readonly key: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly calledMs: number;
}

export async function runAgent(options: AgentOptions): Promise<void> {
  const agent = new Agent(options);
  while (!options.stop.aborted) {
    await agent.turn();
    await sleep(options.random.between(0, LONGEST_THINKING_MS));
  }
  await agent.finish();
}

class Agent {
  readonly #options: AgentOptions;
  readonly #abandoned: Claim[] = [];
  #unanswered: UnansweredClaim | null = null;
  #calls = 0;

  constructor(options: AgentOptions) {
    this.#options = options;
  }

  async turn(): Promise<void> {
    const { random, guest } = this.#options;
    if (guest !== null && random.chance(SHARE_OF_GRANTS)) await this.#share(guest);
    if (this.#abandoned.length > 0 && random.chance(SHARE_OF_LATE)) await this.#workLate();
    const outcome = await this.#claim(random.chance(0.3) ? 1 : MOST_TRIES);
    if (outcome === 'none') await this.#addNode();
    else if (outcome !== 'unknown') await this.#workOn(outcome);
  }

  /** A command of an abandoned claim, which the service must refuse if the claim has ended. */
  async #workLate(): Promise<void> {
    const { random } = this.#options;
    const ended = this.#abandoned.filter(({ claimedMs }) => now() - claimedMs > ENDED_MS);
    const claim = random.of(ended.length > 0 ? ended : this.#abandoned);
    const { id, claimId } = claim;
    const at = random.next();
    if (at < 0.4) await this.#rename(claim);
    else if (at < 0.6) await this.#call('node:claim:renew', { id, claimId, lease: LEASE });
    else if (at < 0.8) await this.#call('node:update', { id, claim: claimId, status: 1 });
    else await this.#release(claim);
  }

  /** Gives a guest access to the queue, or ends it, while the guest's agent may be at work. */
  async #share({ email }: RunUser): Promise<void> {
    const { queue, random } = this.#options;
    const payload = { id: queue.root, email };
    if (random.chance(0.4)) await this.#call('node:access:delete', payload);
    else await this.#call('node:access', { ...payload, level: EDITOR, branch: true });
  }

  /** Learns of all its claims, and leaves only those that end soon. */
  async finish(): Promise<void> {
    if (this.#unanswered !== null) {
      const outcome = await this.#claim(MOST_REPEATS);
      if (typeof outcome === 'object') await this.#release(outcome);
    }
    this.#giveUp();
    for (const claim of this.#abandoned) if (now() - claim.claimedMs < RESUMED_MS) await this.#release(claim);
  }

  async #workOn(claim: Claim): Promise<void> {
    const { random } = this.#options;
    const at = random.next();
    if (at < 0.12) {
      this.#abandoned.unshift(claim);
      this.#abandoned.splice(MOST_ABANDONED);
      return;
    }
    if (at < 0.35) return this.#release(claim);
    if (random.chance(0.4)) await this.#call('node:claim:renew', { ...named(claim), lease: LEASE });
    if (random.chance(0.5)) await this.#rename(claim);
    const { id, claimId } = claim;
    const isCompleted = await this.#call('node:update', { id, claim: claimId, status: 3 }, MOST_REPEATS);
    if (isCompleted === false) return;
    // Nobody can claim a Completed node, so this ends no claim of another agent.
    const dated = random.chance(SHARE_OF_DATES) ? { dueDate: drawDate(random) } : {};
    const isOpen = isCompleted && (await this.#call('node:update', { id, status: 0, ...dated }, MOST_REPEATS));
    if (isOpen !== true) this.#leave(id);
  }

  /** A node that may stay Completed is no longer one of the queue, so that another one is added. */
  #leave(id: string): void {
    const { nodes } = this.#options.queue;
    const index = nodes.indexOf(id);
    if (index >= 0) nodes.splice(index, 1);
  }

  #release(claim: Claim): Promise<void> {
    return this.#call('node:claim:release', named(claim)).then(() => undefined);
  }

  #rename({ id, claimId }: Claim): Promise<boolean | null> {
    return this.#call('node:update', { id, claim: claimId, title: this.#nextKey() });
  }

  async #addNode(): Promise<void> {
    const { queue } = this.#options;
    if (queue.nodes.length >= MOST_NODES) return;
    const key = this.#nextKey();
    const payload = { title: key, target: queue.root };
    const { made } = await callUntilAnswered(this.#options, { event: 'node:add', payload, key, tries: MOST_TRIES });
    this.#options.commands.push(made);
    const id = made.outcome.kind === 'done' ? made.outcome.versions[0]?.id : undefined;
    if (id !== undefined) queue.nodes.push(id);
  }

  /** True if it was acknowledged, false if it was refused, null without an answer. */
  async #call(
    event: string,
    payload: Readonly<Record<string, unknown>>,
    tries: number = MOST_TRIES,
  ): Promise<boolean | null> {
    const key = typeof payload.title === 'string' ? payload.title : this.#nextKey();
    const { made } = await callUntilAnswered(this.#options, { event, payload, key, tries });
    this.#options.commands.push(made);
    return made.outcome.kind === 'unknown' ? null : made.outcome.kind === 'done';
  }

  /** The next claim, or the last one again if it has no answer. `none`: no node was free. */
  async #claim(tries: number): Promise<Claim | 'none' | 'unknown'> {
    const { commands, openAttempts, random } = this.#options;
    const again = this.#unanswered;
    const call = again ?? { key: this.#nextKey(), payload: this.#nextPayload(), calledMs: now() };
    const request = { event: 'node:claim', payload: call.payload, key: call.key };
    const { made, body } = await callUntilAnswered(this.#options, { ...request, tries });
    const { outcome } = made;
    const isOpen = outcome.kind === 'unknown' || (again !== null && isNotDone(outcome));
    this.#unanswered = isOpen ? call : null;
    if (outcome.kind === 'unknown') openAttempts.push(made);
    if (isOpen) return 'unknown';
    commands.push({ ...made, calledMs: call.calledMs });
    if (outcome.kind !== 'done') return 'unknown';
    const claim = this.#note(made, body);
    if (claim === null) return 'none';
    if (random.chance(0.3)) {
      const repeat = await callUntilAnswered(this.#options, { ...request, tries: MOST_TRIES });
      if (repeat.made.outcome.kind === 'done') this.#note(repeat.made, repeat.body, claim);
    }
    return { id: claim.node, claimId: claim.claimId, claimedMs: call.calledMs };
  }

  /** Records a claim that still has no answer. */
  #giveUp(): void {
    if (this.#unanswered === null) return;
    const { caller, runUser, commands } = this.#options;
    const outcome = { kind: 'unknown', why: 'never answered' } as const;
    const { id: user } = runUser;
    commands.push({
      ...this.#unanswered,
      client: caller.name,
      user,
      event: 'node:claim',
      endedMs: now(),
      outcome,
    });
  }

  #note(
    { key, client, user, calledMs, endedMs }: Command,
    body: unknown,
    first: ClaimAnswer['claim'] = null,
  ): ClaimAnswer['claim'] {
    const claim = readClaim(body, first);
    this.#options.claims.push({ key, client, user, calledMs, endedMs, lease: LEASE, claim });
    return claim;
  }

  #nextPayload(): Readonly<Record<string, unknown>> {
    const { queue, random } = this.#options;
    return random.chance(0.15)
      ? { id: random.of([queue.root, ...queue.nodes]), lease: LEASE }
      : { root: queue.root, lease: LEASE };
  }

  #nextKey(): string {
    return `${this.#options.caller.name}-${this.#calls++}`;
  }
}

function named({ id, claimId }: Claim) {
  return { id, claimId };
}

/** Whether only this attempt was not executed. */
function isNotDone(outcome: Command['outcome']): boolean {
  return outcome.kind === 'refused' && outcome.code === 'unavailable';
}

interface ClaimBody {
  readonly claimId?: string | null;
  readonly diff?: { readonly nodes?: readonly { readonly after?: Readonly<Record<string, unknown>> }[] };
}

/**
 * The claim in an answer. A repeated one has the first diff, but the node as it is now, and only the id of the
 * claim if the agent no longer sees the node.
 */
function readClaim(body: unknown, first: ClaimAnswer['claim']): ClaimAnswer['claim'] {
  const { claimId = null, diff } = (body ?? {}) as ClaimBody;
  if (claimId === null) return null;
  const claimed = diff?.nodes?.find(({ after }) => typeof after?.claimUntil === 'string')?.after;
  if (claimed === undefined) return first?.claimId === claimId ? first : null;
  return { node: String(claimed.id), claimId, until: String(claimed.claimUntil) };
}
