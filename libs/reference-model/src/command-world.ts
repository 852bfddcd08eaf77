// A small world in which tests run commands on the model, one after another.
import { expect } from 'vitest';
import { levelOf, shareRootsFor } from './rules/access.ts';
import { runCommand } from './run.ts';
import { emptyState, type ModelAnswer, type ModelNode, type ModelState, type ModelUser } from './state.ts';

export const ann: ModelUser = { id: 'u-ann', username: 'ann', email: 'ann@example.org' };
export const bob: ModelUser = { id: 'u-bob', username: 'bob', email: 'bob@example.org' };
export const cat: ModelUser = { id: 'u-cat', username: 'cat', email: 'cat@example.org' };

export type Payload = Record<string, unknown>;

/**
 * A world of three users. Nodes, links and batches are named n1, l2, b3 by the step that creates
 * them.
 */
export function commandWorld() {
  let state: ModelState = emptyState([ann, bob, cat]);
  let steps = 0;
  const stamp = (step: number) => new Date(Date.UTC(2030, 0, 1, 0, 0, step)).toISOString();
  const say = (actor: ModelUser, event: string, payload: Payload, key: string | null = null): ModelAnswer => {
    steps++;
    const names = { batchId: `b${steps}`, nodeId: `n${steps}`, linkId: `l${steps}`, publicToken: `t${steps}` };
    const ran = runCommand(state, { actor, event, payload, key }, { now: stamp(steps), ...names });
    state = ran.state;
    return ran.answer;
  };
  return {
    say,
    /**
     * Runs the command and returns the number of its step, which names the entities that it
     * creates.
     */
    done(actor: ModelUser, event: string, payload: Payload): number {
      expect(say(actor, event, payload)).toMatchObject({ ok: true });
      return steps;
    },
    diff(actor: ModelUser, event: string, payload: Payload): Record<'nodes' | 'links' | 'access', Payload[]> {
      const answer = say(actor, event, payload);
      if (!answer.ok) throw new Error(answer.error);
      return answer.body.diff as Record<'nodes' | 'links' | 'access', Payload[]>;
    },
    node: (id: string): ModelNode => state.nodes.find((node) => node.id === id)!,
    link: (id: string) => state.links.find((link) => link.id === id)!,
    grant: (id: string, user: ModelUser) => state.grants.find((one) => one.nodeId === id && one.email === user.email),
    batch: (id: string) => state.batches.find((batch) => batch.id === id)!,
    level: (user: ModelUser, id: string) =>
      levelOf(state, user, state.nodes.find((node) => node.id === id)!, stamp(steps)),
    roots: (user: ModelUser, id: string) => shareRootsFor(state, user, id, stamp(steps)),
    time: stamp,
    /** Adds a node without a parent. */
    own(actor: ModelUser, payload: Payload = {}): string {
      return `n${this.done(actor, 'node:add', payload)}`;
    },
    tie(actor: ModelUser, source: string, target: string, payload: Payload = {}): string {
      return `l${this.done(actor, 'link:add', { source, target, ...payload })}`;
    },
    grantTo(user: ModelUser, id: string, level: number, branch: boolean, actor = ann): void {
      this.done(actor, 'node:access', { id, email: user.email, level, branch });
    },
  };
}
