// watch: what happens, while it happens, and who does it.
import type { Slice } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, Shared } from '../context.ts';
import { graphOf, type Task, type TaskLink } from '../graph/graph.ts';
import { nodeIn, shortIdsOf } from '../graph/references.ts';
import { isBelow } from '../graph/tree.ts';
import { statusText } from '../output/nodes.ts';

/** Doers, and titles of nodes that are gone, that are remembered: a change shows a moment after it came. */
const MOST_REMEMBERED = 10_000;

interface Event {
  readonly kind: string;
  readonly node?: Task;
  readonly link?: TaskLink;
  readonly by: string | null;
}

export function addWatch(program: Command, context: Context, shared: () => Shared): void {
  const { output } = context;
  program
    .command('watch')
    .description('show changes as they happen, until Ctrl-C')
    .argument('[node...]', 'only changes below this node')
    .action(async (words: string[]) => {
      const { replica, close } = await context.live();
      // Many events come of one revision, and what they took away is in the one before. Only the question what is below a node needs them.
      let [shown, before, shownRevision] = [graphOf([], []), graphOf([], []), -1];
      const graph = () => {
        const { nodes, links, revision } = replica.snapshot();
        if (revision !== shownRevision) {
          [before, shown] = [shown, graphOf(nodes.values(), links.values())];
          shownRevision = revision;
        }
        return shown;
      };
      const root = words.length === 0 ? null : nodeIn(graph(), words.join(' '));
      const by = new Map<string, string>();
      const concerns = (id: string) =>
        root === null || id === root.id || [graph(), before].some((each) => isBelow(each, id, root.id));
      // Links on a node go after it, and are told by its title.
      const gone = new Map<string, string>();
      const titleOf = (id: string) => String(replica.snapshot().nodes.get(id)?.title ?? gone.get(id) ?? id);
      const tell = (event: Event) => {
        const id = event.node?.id ?? event.link?.target ?? '';
        if (!concerns(id)) return;
        if (shared().json) output.json(event);
        else output.line(lineOf(event, context, titleOf));
      };
      replica.on('slice', (slice) => remember(by, slice));
      replica.on('node:added', ({ node }) => tell({ kind: 'added', node: node as never, by: doer(by, node) }));
      replica.on('node:changed', ({ node, before }) => {
        const kind = node.status === before.status ? 'changed' : 'status';
        tell({ kind, node: node as never, by: doer(by, node) });
      });
      replica.on('node:removed', ({ id, before }) => {
        gone.set(id, String(before.title));
        forgetOldest(gone);
        tell({ kind: 'gone', node: before as never, by: by.get(id) ?? null });
      });
      replica.on('link:added', ({ link }) => tell({ kind: 'linked', link: link as never, by: doer(by, link) }));
      replica.on('link:removed', ({ id, before }) =>
        tell({ kind: 'unlinked', link: before as never, by: by.get(id) ?? null }),
      );
      replica.on('state', ({ state }) => output.note(state === 'live' ? 'live again' : `the connection is ${state}`));
      output.note(`watching ${root === null ? 'all that you see' : root.title}; Ctrl-C ends it`);
      await new Promise<void>((resolve) => {
        for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
        replica.on('state', ({ state }) => {
          if (state === 'signed-out') resolve();
        });
      });
      await close();
    });
}

/** The user who made each version: changes themselves do not say it once they are merged. */
function remember(by: Map<string, string>, { actor, nodes, links }: Slice): void {
  if (actor === undefined) return;
  for (const { after } of [...nodes, ...links]) {
    by.set(`${after.id} ${after.version}`, actor.username);
    by.set(String(after.id), actor.username);
  }
  forgetOldest(by);
}

function forgetOldest(remembered: Map<string, string>): void {
  for (const key of remembered.keys()) {
    if (remembered.size <= MOST_REMEMBERED) break;
    remembered.delete(key);
  }
}

function doer(
  by: ReadonlyMap<string, string>,
  { id, version }: { readonly id: string; readonly version: number },
): string | null {
  return by.get(`${id} ${version}`) ?? null;
}

function lineOf({ kind, node, link, by }: Event, { output }: Context, titleOf: (id: string) => string): string {
  const { paint } = output;
  const at = paint.dim(new Date().toLocaleTimeString());
  const who = by === null ? '' : ` ${paint.dim(`by ${by}`)}`;
  if (link !== undefined) return `${at}  ${titleOf(link.source)} → ${titleOf(link.target)} ${kind}${who}`;
  const id = paint.cyan(shortIdsOf([{ id: node?.id ?? '' }])(node?.id ?? ''));
  const what = kind === 'status' ? `is ${statusText(node?.status, paint)} now` : kind;
  return `${at}  ${id} ${node?.title} ${what}${who}`;
}
