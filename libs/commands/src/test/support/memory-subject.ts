// Runs commands in memory through the production pipeline, for comparison with the reference model.

import type { FeedState } from '@taskgraph/domain/state/state';
import type { Subject } from '@taskgraph/reference-model/comparison/comparison';
import { feedMembers } from '@taskgraph/reference-model/rules/feeds';
import type { ModelCommand, ModelState, ModelUser } from '@taskgraph/reference-model/state';
import { conformingReply, expectConforming } from '@taskgraph/testkit/contract/conformance';
import { isSystem } from '@taskgraph/wire/actor';
import { type ReplyMessage, refusalReply } from '@taskgraph/wire/bus/calls';
import type { ControlMessage, SliceMessage } from '@taskgraph/wire/bus/feed-messages';
import { isRefusal } from '@taskgraph/wire/errors';
import { userFeed } from '@taskgraph/wire/feeds';
import { composeId } from '@taskgraph/wire/ids';
import { expect } from 'vitest';
import { definitionOf, systemDefinitionOf } from '../../commands.ts';
import { type Command, parseCommand } from '../../pipeline/command.ts';
import { createMemoryWorld, withCandidates } from './memory-world.ts';

/** Four users without shared nodes. */
export const FOUR: readonly ModelUser[] = ['ada', 'bob', 'cy', 'dee'].map((username, slot) => ({
  id: composeId(slot, 0, slot, new Uint8Array(6)),
  username,
  email: `${username}@example.com`,
}));

/** The same users, of whom the last is a bot of the first. */
export const THREE_AND_BOT: readonly ModelUser[] = FOUR.map((user, at) =>
  at === FOUR.length - 1 ? { ...user, maintainer: FOUR[0]?.id ?? '' } : user,
);

export interface MemorySubject extends Subject {
  /** Decides commands as one group and returns their replies in order. */
  sendTogether(commands: readonly ModelCommand[]): ReplyMessage[];
  /** The whole state as one text. */
  checksum(): string;
  /** Compares the whole state with the model's. */
  compareState(state: ModelState): void;
}

export function startInMemory(users: readonly ModelUser[], clock: { readonly ms: number }): MemorySubject {
  const memory = createMemoryWorld(users);
  let made = 0;
  const newId = (slot: number) => composeId(slot, clock.ms, ++made % 4_096, new Uint8Array(6).fill(made >> 12));
  const newToken = () => `public-token-${String(++made).padStart(12, '0')}`;
  const slices: SliceMessage[] = [];
  const control: ControlMessage[] = [];
  const parse = ({ actor, event, payload, key }: ModelCommand) => {
    const definition = isSystem(actor) ? systemDefinitionOf(event) : definitionOf(event);
    const message = { id: newId(0), event, payload: { ...payload }, actor, key };
    return withCandidates(
      parseCommand(message, definition, (text) => text),
      memory.nodes.keys(),
    );
  };
  const sendTogether = (sent: readonly ModelCommand[]): ReplyMessage[] => {
    const parsed = sent.map(parse);
    const commands = parsed.filter((one): one is Command => !isRefusal(one));
    const decision = memory.commit(commands, { now: new Date(clock.ms).toISOString(), newId, newToken });
    expectConforming(decision.messages.slices);
    slices.push(...decision.messages.slices);
    const { readers, feeds, publications } = decision.messages.control;
    const told = { readers: [...readers], feeds: [...feeds.values()], publications: [...publications] };
    if (Object.values(told).some((list) => list.length > 0)) control.push(told);
    return parsed.map((one, index) => {
      const reply = isRefusal(one) ? refusalReply(one) : (decision.replies.get(one) as ReplyMessage);
      return conformingReply(sent[index]?.event ?? '', reply);
    });
  };
  return {
    slices,
    control,
    sendTogether,
    checksum() {
      const { nodes, links, grants, members, feeds, batches } = memory;
      const rows = [...members].map(([id, feedsOf]) => [id, [...feedsOf].sort()]);
      return JSON.stringify([nodes, links, grants, feeds, batches].map((map) => [...map]).concat([rows as never]));
    },
    async send(actor, event, payload, { key = null } = {}) {
      return sendTogether([{ actor, event, payload: { ...payload }, key }])[0] as ReplyMessage;
    },
    compareState(state) {
      const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1);
      const nodes = [...memory.nodes.values()].map(({ openBlockers: _, ...node }) => node).sort(byId);
      const links = [...memory.links.values()]
        .map(({ conveys: _c, trashedWithNode: marked, ...link }) => ({ ...link, marked }))
        .sort(byId);
      const grants = [...memory.grants.values()].map((grant) => ({ ...grant }));
      const modelled = state.links.map(({ mayPropagate: _, ...link }) => link);
      expect({ nodes, links }).toEqual({ nodes: state.nodes.toSorted(byId), links: modelled.sort(byId) });
      expect(new Set(grants.map((grant) => JSON.stringify(sorted(grant))))).toEqual(
        new Set(state.grants.map((grant) => JSON.stringify(sorted(grant)))),
      );
      const active = state.nodes.filter(({ inTrash }) => !inTrash);
      for (const feed of [...users.map(({ id }) => userFeed(id)), ...liveFeeds()]) {
        const within = active.filter(
          ({ id, ownerId }) => userFeed(ownerId) === feed || memory.members.get(id)?.has(feed),
        );
        expect({ feed, nodes: within.map(({ id }) => id).sort() }).toEqual({
          feed,
          nodes: feedMembers(state, feed).nodes,
        });
      }
    },
  };

  /** The rows of a feed without readers stay until jobs delete them. */
  function liveFeeds(): string[] {
    return [...(memory.feeds as ReadonlyMap<string, FeedState | null>).values()].flatMap((feed) =>
      feed !== null && (feed.grants > 0 || feed.public) ? [feed.id] : [],
    );
  }
}

function sorted(value: object): object {
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}
