// watch: prints changes as they arrive, with their actors.
import type { Slice } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { graphOf, type Task, type TaskLink } from '../graph/graph.ts';
import { nodeIn, shortIdsOf } from '../graph/references.ts';
import { isBelow } from '../graph/tree.ts';
import { statusText } from '../output/nodes.ts';

/**
 * Entries of the maps of actors and of removed titles. A change prints soon after its slice, so old
 * entries are not needed.
 */
const MAXIMUM_REMEMBERED = 10_000;

interface WatchEvent {
  readonly kind: string;
  readonly node?: Task;
  readonly link?: TaskLink;
  readonly by: string | null;
}

export function addWatch(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  const { output } = context;
  program
    .command('watch')
    .description('show changes as they happen, until Ctrl-C')
    .argument('[node...]', 'only changes below this node')
    .action(async (words: string[]) => {
      const { replica, close } = await context.live();
      // Many events share a revision, so its graph is built once. The previous one is for removals.
      let [current, previous, currentRevision] = [graphOf([], []), graphOf([], []), -1];
      const graph = () => {
        const { nodes, links, revision } = replica.snapshot();
        if (revision !== currentRevision) {
          [previous, current] = [current, graphOf(nodes.values(), links.values())];
          currentRevision = revision;
        }
        return current;
      };
      const root = words.length === 0 ? null : nodeIn(graph(), words.join(' '));
      const by = new Map<string, string>();
      const isInScope = (id: string) =>
        root === null || id === root.id || [graph(), previous].some((each) => isBelow(each, id, root.id));
      // The links of a removed node are removed after it, and their lines need its title.
      const removedTitles = new Map<string, string>();
      const titleOf = (id: string) => String(replica.snapshot().nodes.get(id)?.title ?? removedTitles.get(id) ?? id);
      const print = (event: WatchEvent) => {
        const id = event.node?.id ?? event.link?.target ?? '';
        if (!isInScope(id)) return;
        if (globalOptions().json) output.json(event);
        else output.line(lineOf(event, context, titleOf));
      };
      replica.on('slice', (slice) => recordActors(by, slice));
      replica.on('node:added', ({ node }) => print({ kind: 'added', node: node as never, by: actorOf(by, node) }));
      replica.on('node:changed', ({ node, before }) => {
        const kind = node.status === before.status ? 'changed' : 'status';
        print({ kind, node: node as never, by: actorOf(by, node) });
      });
      replica.on('node:removed', ({ id, before }) => {
        removedTitles.set(id, String(before.title));
        dropOldest(removedTitles);
        print({ kind: 'gone', node: before as never, by: by.get(id) ?? null });
      });
      replica.on('link:added', ({ link }) => print({ kind: 'linked', link: link as never, by: actorOf(by, link) }));
      replica.on('link:removed', ({ id, before }) =>
        print({ kind: 'unlinked', link: before as never, by: by.get(id) ?? null }),
      );
      replica.on('state', ({ state }) => output.note(state === 'live' ? 'live again' : `the connection is ${state}`));
      output.note(`watching ${root === null ? 'everything that you can see' : root.title}; Ctrl-C ends it`);
      await new Promise<void>((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
        replica.on('state', ({ state }) => {
          if (state === 'signed-out') resolve();
        });
      });
      await close();
    });
}

/** Records the actor of each version, because merged changes no longer name it. */
function recordActors(by: Map<string, string>, { actor, nodes, links }: Slice): void {
  if (actor === undefined) return;
  for (const { after } of [...nodes, ...links]) {
    by.set(`${after.id} ${after.version}`, actor.username);
    by.set(String(after.id), actor.username);
  }
  dropOldest(by);
}

function dropOldest(entries: Map<string, string>): void {
  for (const key of entries.keys()) {
    if (entries.size <= MAXIMUM_REMEMBERED) break;
    entries.delete(key);
  }
}

function actorOf(
  by: ReadonlyMap<string, string>,
  { id, version }: { readonly id: string; readonly version: number },
): string | null {
  return by.get(`${id} ${version}`) ?? null;
}

function lineOf({ kind, node, link, by }: WatchEvent, { output }: Context, titleOf: (id: string) => string): string {
  const { paint } = output;
  const at = paint.dim(new Date().toLocaleTimeString());
  const byActor = by === null ? '' : paint.dim(`by ${by}`);
  if (link !== undefined)
    return `${at}  ${titleOf(link.source)} → ${titleOf(link.target)} ${kind} ${byActor}`.trimEnd();
  const id = paint.cyan(shortIdsOf([{ id: node?.id ?? '' }])(node?.id ?? ''));
  const beginning = `${at}  ${id} ${node?.title}`;
  if (kind === 'status') {
    return `${beginning} is now ${statusText(node?.status, paint)}${byActor === '' ? '' : ` (${byActor})`}`;
  }
  return `${beginning} ${kind === 'gone' ? 'removed' : kind} ${byActor}`.trimEnd();
}
