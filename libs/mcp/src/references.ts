// References to nodes: an id, the end of an id, or a whole title. The service finds them, so that a
// server needs no copy of the graph. A reference that fits several nodes is refused with all of
// them: a tool never guesses.
import { foldText } from '@taskgraph/domain/find/fold-text';
import type { WireNode } from '@taskgraph/wire/entities';
import { nodeLine, quoted, shortId } from './lines.ts';
import { type AgentService, type ToolContext, ToolFailure } from './service.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Digits of the end of an id, as `node:find` accepts them. */
const ENDING = /^[0-9a-f]{4,32}$/;
const LONGEST_TITLE = 500;
/** References of one search, its most hits, and its rounds through a large graph. */
const REFERENCES_AT_ONCE = 50;
const MOST_HITS = 200;
const MOST_ROUNDS = 4;
/** Candidates that a refusal lists. */
const MOST_CANDIDATES = 8;
/** Words of a search for similar titles, and its UTF-16 units. */
const MOST_WORDS = 10;
const LONGEST_SEARCH = 200;

export function isWholeId(reference: string): boolean {
  return UUID.test(reference.trim());
}

/** The ids of nodes by their references. Throws a ToolFailure if one fits no node or several. */
export async function resolveNodes(
  context: ToolContext,
  references: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  const unknown: string[] = [];
  for (const reference of new Set(references)) {
    if (isWholeId(reference)) ids.set(reference, reference.trim().toLowerCase());
    else unknown.push(reference);
  }
  for (let at = 0; at < unknown.length; at += REFERENCES_AT_ONCE) {
    const some = unknown.slice(at, at + REFERENCES_AT_ONCE);
    const found = await candidatesOf(context.service, some);
    for (const reference of some) {
      const nodes = matching(reference, found ?? (await candidatesOf(context.service, [reference])) ?? []);
      ids.set(reference, await onlyOne(context, reference, nodes));
    }
  }
  return ids;
}

/** The id of one node. */
export async function resolveNode(context: ToolContext, reference: string): Promise<string> {
  return (await resolveNodes(context, [reference])).get(reference) as string;
}

/**
 * All nodes that one of the references may mean. Null if they are too many for several references:
 * each is then asked for alone, where too many nodes are ambiguous anyway.
 */
async function candidatesOf(service: AgentService, references: readonly string[]): Promise<WireNode[] | null> {
  const titles = references.map((each) => each.trim()).filter((each) => each !== '' && each.length <= LONGEST_TITLE);
  const endings = references.map(digitsOf).filter((digits) => ENDING.test(digits));
  const any = [...(endings.length > 0 ? [{ id: endings }] : []), ...(titles.length > 0 ? [{ title: titles }] : [])];
  if (any.length === 0) return [];
  const nodes: WireNode[] = [];
  let after: object = {};
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const page = await service.call('node:find', { where: { any }, limit: MOST_HITS, ...after });
    nodes.push(...(page.nodes as WireNode[]));
    if (typeof page.next !== 'string') return nodes;
    if (nodes.length >= MOST_HITS) return references.length === 1 ? nodes : null;
    after = { after: page.next };
  }
  return nodes;
}

function digitsOf(reference: string): string {
  return reference.trim().toLowerCase().replaceAll('-', '');
}

/**
 * The nodes that a reference means: those with its digits at the end of the id, and those with
 * exactly its title. Without any, those whose title has the same words.
 */
function matching(reference: string, nodes: readonly WireNode[]): WireNode[] {
  const digits = digitsOf(reference);
  const written = reference.trim().normalize();
  const folded = foldText(written);
  const isExact = ({ title }: WireNode) => title.trim().normalize() === written;
  const isNamed = ({ id }: WireNode) => ENDING.test(digits) && id.replaceAll('-', '').endsWith(digits);
  const exact = nodes.filter((node) => isNamed(node) || isExact(node));
  return exact.length > 0 ? exact : nodes.filter(({ title }) => foldText(title.trim()) === folded);
}

async function onlyOne(context: ToolContext, reference: string, nodes: readonly WireNode[]): Promise<string> {
  const [first] = nodes;
  if (first !== undefined && nodes.length === 1) return first.id;
  const candidates = first === undefined ? await similar(context.service, reference) : nodes;
  const help = candidates.slice(0, MOST_CANDIDATES).map((node) => candidateLine(node, candidates, context.nowMs()));
  if (first === undefined) {
    const heading = help.length > 0 ? ['Similar titles:'] : [];
    throw new ToolFailure('not_found', `No visible node is ${quoted(reference)}.`, { help: [...heading, ...help] });
  }
  const more = candidates.length > help.length ? [`and ${candidates.length - help.length} more`] : [];
  const message = `${quoted(reference)} means several nodes. Name one of them by its id.`;
  throw new ToolFailure('bad_request.ambiguous_reference', message, { help: [...help, ...more] });
}

/** A node in one line, with its whole id if others have the same end. */
function candidateLine(node: WireNode, all: readonly WireNode[], nowMs: number): string {
  const line = nodeLine(node, nowMs);
  const isUnique = all.filter(({ id }) => shortId(id) === shortId(node.id)).length === 1;
  return isUnique ? line : `${node.id} ${line}`;
}

/** Nodes with the words of a reference. */
async function similar(service: AgentService, reference: string): Promise<WireNode[]> {
  const words = reference.trim().split(/\s+/).slice(0, MOST_WORDS).join(' ');
  if (words === '' || words.length > LONGEST_SEARCH) return [];
  return (await service.call('node:find', { text: words, limit: MOST_CANDIDATES })).nodes as WireNode[];
}
