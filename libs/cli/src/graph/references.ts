// References to nodes: an id, the end of an id, a title, or a part of a title.
import { foldText } from '@taskgraph/client';
import { CliError } from '../failures.ts';
import type { Graph, Task } from './graph.ts';

/** Digits of a short id. It is the end of the id, because the beginning encodes the time. */
const SHORT_DIGITS = 6;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MINIMUM_DIGITS = 4;
/** Matches that a message lists. */
const MAXIMUM_NAMED = 8;

export function isWholeId(word: string): boolean {
  return UUID.test(word);
}

/** Returns each node's short id: the shortest end of its id that no other node has. */
export function shortIdsOf(nodes: Iterable<{ readonly id: string }>): (id: string) => string {
  const ends = new Map<string, number>();
  const all = [...nodes].map(({ id }) => digitsOf(id));
  for (let length = SHORT_DIGITS; length <= 12; length++) {
    for (const digits of all) ends.set(digits.slice(-length), (ends.get(digits.slice(-length)) ?? 0) + 1);
  }
  return (id) => {
    const digits = digitsOf(id);
    for (let length = SHORT_DIGITS; length <= 12; length++) {
      const end = digits.slice(-length);
      if ((ends.get(end) ?? 0) <= 1) return end;
    }
    return digits.slice(-12);
  };
}

function digitsOf(id: string): string {
  return id.replaceAll('-', '');
}

/** A title as one word, for completion. */
export function slugOf(title: string): string {
  return foldText(title)
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
}

/** Finds the one node to which the words refer. Throws a CliError if none or several match. */
export function findNode<T extends Pick<Task, 'id' | 'title'>>(nodes: Iterable<T>, reference: string): T {
  const all = [...nodes];
  const written = reference.trim().normalize();
  const wanted = foldText(written);
  const folded = new Map<T, string>();
  const foldedTitle = (node: T) => {
    const text = folded.get(node) ?? foldText(node.title);
    folded.set(node, text);
    return text;
  };
  // The first matcher with a result decides: a complete title precedes titles that contain it, and
  // the exact spelling precedes other spellings of the same words.
  const matchers: ((node: T) => boolean)[] = [
    ({ id }) => id === wanted,
    ({ id }) => /^[0-9a-f]+$/.test(wanted) && wanted.length >= MINIMUM_DIGITS && digitsOf(id).endsWith(wanted),
    ({ title }) => title.trim().normalize() === written,
    (node) => foldedTitle(node) === wanted,
    ({ title }) => slugOf(title) === wanted,
    (node) => foldedTitle(node).startsWith(wanted),
    (node) => foldedTitle(node).includes(wanted),
  ];
  // Words without visible characters match only an identical title.
  const applicable = written === '' ? [] : wanted === '' ? matchers.slice(0, 3) : matchers;
  for (const matches of applicable) {
    const found = all.filter(matches);
    if (found.length === 1) return found[0] as T;
    if (found.length > 1) throw ambiguousReference(reference, found, shortIdsOf(all));
  }
  const remedy = 'List nodes: taskgraph ls, or taskgraph search WORDS';
  throw new CliError('notFound', `There is no node "${reference}".`, remedy);
}

function ambiguousReference(
  reference: string,
  found: readonly Pick<Task, 'id' | 'title'>[],
  shortId: (id: string) => string,
): CliError {
  const named = found.slice(0, MAXIMUM_NAMED).map(({ id, title }) => `${shortId(id)} ${title}`);
  const more = found.length > named.length ? [`and ${found.length - named.length} more`] : [];
  return new CliError(
    'notFound',
    `"${reference}" matches ${found.length} nodes.`,
    'Name one of them by its id:',
    ...named,
    ...more,
  );
}

/** The same for the nodes of a graph. */
export function nodeIn(graph: Graph, reference: string): Task {
  return findNode(graph.nodes.values(), reference);
}
