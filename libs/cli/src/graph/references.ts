// The words that stand for a node: its id, the end of its id, its title, or a part of that.
import { foldText } from '@taskgraph/client';
import { CliError } from '../failures.ts';
import type { Graph, Task } from './graph.ts';

/** Digits of a short id: the end of an id is random, while ids of one moment begin alike. */
const SHORT_DIGITS = 6;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const LEAST_DIGITS = 4;
/** Titles that a message names. */
const MOST_NAMED = 8;

export function isWholeId(word: string): boolean {
  return UUID.test(word);
}

/** Gives each node's short id: so many of the last digits that no other node of the graph ends alike. */
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

/** A title as one word, as completions offer it. */
export function slugOf(title: string): string {
  return foldText(title)
    .replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '');
}

/** Finds the one node that the words stand for. Throws a CliError where there is none, or more than one. */
export function findNode<T extends Pick<Task, 'id' | 'title'>>(nodes: Iterable<T>, words: string): T {
  const all = [...nodes];
  const written = words.trim().normalize();
  const wanted = foldText(written);
  const folded = new Map<T, string>();
  const foldedTitle = (node: T) => {
    const text = folded.get(node) ?? foldText(node.title);
    folded.set(node, text);
    return text;
  };
  // The first way that finds something counts: a whole title is meant where it is there, however many others have it in them, and one that is written alike before
  // those that are the same words.
  const ways: ((node: T) => boolean)[] = [
    ({ id }) => id === wanted,
    ({ id }) => /^[0-9a-f]+$/.test(wanted) && wanted.length >= LEAST_DIGITS && digitsOf(id).endsWith(wanted),
    ({ title }) => title.trim().normalize() === written,
    (node) => foldedTitle(node) === wanted,
    ({ title }) => slugOf(title) === wanted,
    (node) => foldedTitle(node).startsWith(wanted),
    (node) => foldedTitle(node).includes(wanted),
  ];
  // Characters that show nothing name nothing, unless a title is written so.
  const tried = written === '' ? [] : wanted === '' ? ways.slice(0, 3) : ways;
  for (const way of tried) {
    const found = all.filter(way);
    if (found.length === 1) return found[0] as T;
    if (found.length > 1) throw ambiguous(words, found, shortIdsOf(all));
  }
  const remedy = 'See what there is: taskgraph ls, or taskgraph search WORDS';
  throw new CliError('notFound', `There is no node "${words}".`, remedy);
}

function ambiguous(
  words: string,
  found: readonly Pick<Task, 'id' | 'title'>[],
  shortId: (id: string) => string,
): CliError {
  const named = found.slice(0, MOST_NAMED).map(({ id, title }) => `${shortId(id)} ${title}`);
  const more = found.length > named.length ? [`and ${found.length - named.length} more`] : [];
  return new CliError(
    'notFound',
    `"${words}" may be each of ${found.length} nodes.`,
    'Say which, by its id:',
    ...named,
    ...more,
  );
}

/** The nodes of a graph. */
export function nodeIn(graph: Graph, words: string): Task {
  return findNode(graph.nodes.values(), words);
}
