// link_nodes: adds links at once, and removes links after a confirmed dry run.
import { LinkType } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { makeChange } from '../changes.ts';
import { choice, list, object } from '../input-schema.ts';
import { pageOfLines } from '../lines.ts';
import { readNodes } from '../nodes.ts';
import { resolveNodes } from '../references.ts';
import { type ToolContext, ToolFailure } from '../service.ts';
import { CONFIRM, NODE } from '../shared-arguments.ts';
import { defineTool } from '../tool.ts';

export const LINK_TYPES = ['blocks', 'relates'] as const;
export type LinkTypeName = (typeof LINK_TYPES)[number];

export function linkType(name: LinkTypeName = 'blocks'): number {
  return name === 'blocks' ? LinkType.PRIMARY : LinkType.SECONDARY;
}

const MOST_LINKS = 50;

interface LinkEnds {
  readonly source: string;
  readonly target: string;
}

interface LinkChange {
  readonly add?: readonly (LinkEnds & { readonly type?: LinkTypeName })[];
  readonly remove?: readonly LinkEnds[];
  readonly confirm?: string;
}

const ENDS = { source: NODE, target: NODE };

export const linkNodes = defineTool<LinkChange>({
  name: 'link_nodes',
  description:
    'Adds and removes links, all or none. The source blocks the target, or only relates to it. Removing first answers the effect and "confirm".',
  effect: 'changes',
  input: object({
    add: list(object({ ...ENDS, type: choice(LINK_TYPES) }, 'source', 'target'), MOST_LINKS),
    remove: list(object(ENDS, 'source', 'target'), MOST_LINKS),
    confirm: CONFIRM,
  }),
  async run({ add = [], remove = [], confirm }, context) {
    const ids = await resolveNodes(
      context,
      [...add, ...remove].flatMap(({ source, target }) => [source, target]),
    );
    const withIds = <L extends LinkEnds>(link: L): L => {
      const [source, target] = [ids.get(link.source) as string, ids.get(link.target) as string];
      return { ...link, source, target };
    };
    const existing = await linksBetween(context, [...add, ...remove].map(withIds));
    const missing = add.map(withIds).filter((link) => !existing.has(keyOf(link)));
    const operations = [
      ...missing.map(({ source, target, type }) => ({
        event: 'link:add',
        payload: { source, target, type: linkType(type) },
      })),
      ...remove.map(withIds).map((link) => ({ event: 'link:trash', payload: { id: idOf(existing, link) } })),
    ];
    const known = add.length - missing.length;
    const notes = known === 0 ? [] : [`${known} of the links exist already.`];
    if (operations.length === 0) return [...notes, 'Nothing was done.'].join('\n');
    const isAdditive = remove.length === 0;
    const change = { event: 'batch:run', payload: { operations }, isAdditive, ...definedFields({ confirm }) };
    return pageOfLines([...notes, ...(await makeChange(context, change)).lines], undefined);
  },
});

function keyOf({ source, target }: LinkEnds): string {
  return `${source} ${target}`;
}

/** The ids of the active links between these ends. */
async function linksBetween(
  { service }: ToolContext,
  wanted: readonly LinkEnds[],
): Promise<ReadonlyMap<string, string>> {
  // A source usually has fewer links than a target has.
  const sources = [...new Set(wanted.map(({ source }) => source))];
  const { links } = await readNodes(service, sources, { links: true });
  return new Map(links.map((link) => [keyOf(link), link.id]));
}

function idOf(existing: ReadonlyMap<string, string>, link: LinkEnds): string {
  const id = existing.get(keyOf(link));
  if (id !== undefined) return id;
  throw new ToolFailure('not_found', `There is no visible link from ${link.source} to ${link.target}.`);
}
