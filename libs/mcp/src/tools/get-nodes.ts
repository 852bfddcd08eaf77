// get_nodes: everything about some nodes, with their links and, on request, why they wait.
import { LinkType } from '@taskgraph/wire/codes';
import type { PageLink } from '@taskgraph/wire/entities';
import { flag, list, object } from '../input-schema.ts';
import { nodeLine, pageOfLines, piecesOf, quoted, type ShownNode, STATUSES } from '../lines.ts';
import { nameOf, readNodes } from '../nodes.ts';
import { resolveNodes } from '../references.ts';
import type { ToolContext } from '../service.ts';
import { MORE, NODE } from '../shared-arguments.ts';
import { momentText } from '../times.ts';
import { defineTool } from '../tool.ts';

const MOST_NODES = 20;
/** Links of a node in each direction that an answer lists. */
const MOST_LINKS = 25;
/** Nodes to complete first that an answer lists. */
const MOST_WORKABLE = 20;
/** UTF-16 units of a line of a description. */
const PIECE_LENGTH = 1_000;
const LEVELS = ['owner', 'admin', 'editor', 'viewer'];

interface NodeRequest {
  readonly nodes: readonly string[];
  readonly why?: boolean;
  readonly more?: string;
}

export const getNodes = defineTool<NodeRequest>({
  name: 'get_nodes',
  description:
    'Reads nodes in full, with description and links. With why: also what to complete first so that a blocked node becomes available, and your access.',
  effect: 'reads',
  input: object(
    {
      nodes: list(NODE, MOST_NODES),
      why: flag(),
      more: MORE,
    },
    'nodes',
  ),
  async run({ nodes: references, why = false, more }, context) {
    const resolved = await resolveNodes(context, references);
    const ids = [...new Set(references.map((reference) => resolved.get(reference) as string))];
    const { nodes, links, truncated } = await readNodes(context.service, ids, { links: true });
    const explanations = new Map<string, Explanation>();
    if (why) for (const id of ids) if (isActive(nodes.get(id))) explanations.set(id, await explain(context, id));
    const ends = links.flatMap(({ source, target }) => [source, target]);
    const workable = [...explanations.values()].flatMap((each) => each.workable.slice(0, MOST_WORKABLE));
    const near = await readNodes(
      context.service,
      [...new Set([...workable, ...ends])].filter((id) => !nodes.has(id)),
    );
    const known = new Map([...near.nodes, ...nodes]);
    const shown = { links, known, nowMs: context.nowMs() };
    const lines = ids.flatMap((id) => {
      const node = nodes.get(id);
      if (node === undefined) return [`${id}: there is no such node, or you may not see it.`];
      return [...nodeLines(node, shown), ...explanationLines(explanations.get(id), shown)];
    });
    const cut = truncated ? ['These nodes have more links than are listed.'] : [];
    return pageOfLines([...lines, ...cut], more);
  },
});

function isActive(node: ShownNode | undefined): boolean {
  return node !== undefined && node.inTrash !== true;
}

interface Surroundings {
  readonly links: readonly PageLink[];
  readonly known: ReadonlyMap<string, ShownNode>;
  readonly nowMs: number;
}

function nodeLines(node: ShownNode, surroundings: Surroundings): string[] {
  const { id, version, access, ownerUsername, createdTime, lastEditedTime, description = '' } = node;
  const pieces = piecesOf(description, PIECE_LENGTH);
  const parts = [
    `id ${id}`,
    ...(version === undefined ? [] : [`version ${version}`]),
    ...(ownerUsername === undefined ? [] : [`owner ${quoted(ownerUsername)}`]),
    ...(access === undefined ? [] : [`you are ${LEVELS[access] ?? ''}`]),
    ...(createdTime === undefined ? [] : [`created ${momentText(createdTime)}`]),
    ...(lastEditedTime === undefined ? [] : [`edited ${momentText(lastEditedTime)}`]),
    ...(node.independent === true ? ['independent of its links'] : []),
  ];
  const texts = pieces.map((piece, index) => {
    const part = pieces.length === 1 ? '' : ` ${index + 1} of ${pieces.length}`;
    return `  description${part}: ${quoted(piece, PIECE_LENGTH)}`;
  });
  return [nodeLine(node, surroundings.nowMs), `  ${parts.join(', ')}`, ...texts, ...linkLines(node.id, surroundings)];
}

function linkLines(id: string, { links, known, nowMs }: Surroundings): string[] {
  const shown = (id: string) => {
    const node = known.get(id);
    return node === undefined ? nameOf(id) : nodeLine(node, nowMs);
  };
  const listed = (heading: string, some: readonly PageLink[], other: (link: PageLink) => string) => {
    const lines = some.slice(0, MOST_LINKS).map((link) => `  ${heading} ${shown(other(link))} (link ${link.id})`);
    return [...lines, ...(some.length > MOST_LINKS ? [`  ${heading} ${some.length - MOST_LINKS} more`] : [])];
  };
  const primary = links.filter(({ type }) => type === LinkType.PRIMARY);
  const secondary = links.filter(
    ({ type, source, target }) => type !== LinkType.PRIMARY && [source, target].includes(id),
  );
  return [
    ...listed(
      'waits for',
      primary.filter(({ target }) => target === id),
      ({ source }) => source,
    ),
    ...listed(
      'blocks',
      primary.filter(({ source }) => source === id),
      ({ target }) => target,
    ),
    ...listed('is related to', secondary, ({ source, target }) => (source === id ? target : source)),
  ];
}

interface Explanation {
  readonly workable: readonly string[];
  readonly access: readonly {
    readonly by: string;
    readonly root: string;
    readonly level: number;
    readonly due: string | null;
  }[];
  readonly hidden?: true;
  readonly truncated?: true;
}

async function explain({ service }: ToolContext, id: string): Promise<Explanation> {
  return (await service.call('node:why', { id })) as unknown as Explanation;
}

function explanationLines(explanation: Explanation | undefined, { known }: Surroundings): string[] {
  if (explanation === undefined) return [];
  const { workable, access, hidden, truncated } = explanation;
  const name = (id: string) => {
    const node = known.get(id);
    return node === undefined ? nameOf(id) : `${nameOf(id, node.title)} ${STATUSES[node.status as 0]}`;
  };
  const more = workable.length > MOST_WORKABLE || truncated === true;
  return [
    ...workable.slice(0, MOST_WORKABLE).map((id) => `  complete first: ${name(id)}`),
    ...(more ? ['  complete first: and more nodes'] : []),
    ...(hidden === true ? ['  it also waits for a node that you may not see'] : []),
    ...access.slice(0, 5).map(({ by, root, level, due }) => {
      const until = due === null ? '' : ` until ${momentText(due)}`;
      return `  access: ${LEVELS[level] ?? ''} by ${by} of ${name(root)}${until}`;
    }),
  ];
}
