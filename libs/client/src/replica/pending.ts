// Commands that the graph does not show yet: what they will do, and once they are answered what they did, until the slices of it are here.
import type { Changed } from '../calls.ts';
import type { Entity } from '../merge-diff.ts';
import { effectOf, optimismOf, type Patch, provisionalId } from '../offline/optimistic.ts';
import type { Command } from '../offline/outbox.ts';
import { createOverlay } from '../offline/overlay.ts';
import type { Entities, Kind } from './entities.ts';
import type { Heads, Progress } from './progress.ts';
import type { Reading } from './reading.ts';

interface Parts {
  readonly entities: Pick<Entities, 'linksOn'>;
  readonly reading: Pick<Reading, 'reads'>;
  readonly progress: Pick<Progress, 'latest'>;
  /** Whether the copy is as far as its progress says, and not still being read. */
  readonly isRead: () => boolean;
  readonly touched: (kind: Kind, id: string) => void;
}

export interface Pending {
  /** Shows what a command will do. */
  begin(command: Command): void;
  /** Shows what a command did until its slices are here; gives the real ids of what it made, by the provisional ones. */
  answered(command: Command, answer: Record<string, unknown>): Record<string, string>;
  /** Takes back what a command shows. */
  end(key: string): void;
  /** Takes back what answers show that the graph has by now. */
  settle(): void;
  /** Takes back what answers show of an entity that was taken away since. */
  takenAway(id: string): void;
  /** Takes back what answers show that came by a feed which is not read any more. */
  lost(feed: string): void;
  apply(kind: Kind, id: string, entity: Entity | undefined): Entity | undefined;
}

/** Most entities that are remembered as taken away. */
const MAXIMUM_AWAY = 10_000;
const NODE_ADD = 0;
const LINK_ADD = 10;
const LINK_RESTORE = 13;

export function createPending({ entities, reading, progress, isRead, touched }: Parts): Pending {
  const overlay = createOverlay(touched);
  /** The numbers of the slices of commands that are answered, by key. */
  const answers = new Map<string, Heads>();
  /** Commands without an answer, and what was taken away since the first of them was made: an answer may be of before. */
  const open = new Set<string>();
  const away = new Set<string>();
  const end = (key: string) => {
    answers.delete(key);
    open.delete(key);
    overlay.lift(key);
    if (open.size === 0) away.clear();
  };
  const isHere = (feeds: Heads) =>
    isRead() && Object.entries(feeds).every(([feed, seq]) => !reading.reads(feed) || progress.latest(feed) >= seq);
  return {
    begin({ key, event, payload }) {
      open.add(key);
      overlay.lay(key, optimismOf(event, payload, key, entities));
    },
    answered({ key }, answer) {
      const { diff, feeds = {} } = answer as unknown as Partial<Changed>;
      if (diff === undefined || isHere(feeds)) end(key);
      else {
        answers.set(key, feeds);
        const isThere = ({ id, ends = [] }: Patch) =>
          away.size < MAXIMUM_AWAY && ![id, ...ends].some((each) => away.has(each));
        overlay.lay(key, effectOf(diff).filter(isThere));
        open.delete(key);
        if (open.size === 0) away.clear();
      }
      return diff === undefined ? {} : madeBy(key, diff);
    },
    end,
    settle() {
      for (const [key, feeds] of answers) if (isHere(feeds)) end(key);
    },
    takenAway(id) {
      // Past the bound answers are not shown before their slices are here.
      if (open.size > 0 && away.size < MAXIMUM_AWAY) away.add(id);
      if (answers.size > 0) overlay.liftFrom(id, [...answers.keys()]);
    },
    lost(feed) {
      for (const [key, feeds] of answers) if (Object.hasOwn(feeds, feed)) end(key);
    },
    apply: overlay.apply,
  };
}

function madeBy(key: string, { nodes, links }: Pick<Changed['diff'], 'nodes' | 'links'>): Record<string, string> {
  const node = nodes.find(({ op }) => op === NODE_ADD);
  const link = links.find(({ op }) => op === LINK_ADD || op === LINK_RESTORE);
  return {
    ...(node === undefined ? {} : { [provisionalId(key)]: String(node.after.id) }),
    ...(link === undefined ? {} : { [provisionalId(key, 'link')]: String(link.after.id) }),
  };
}
