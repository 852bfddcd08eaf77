// Writes a list of tasks in Markdown, with the signs of the Obsidian plugin Tasks. Titles are
// escaped, so that they never act as markup; descriptions are Markdown. Rule: IO2.
import { onOneLine } from '@taskgraph/wire/control-characters';
import { dayOf } from '../../values/days.ts';
import { push, type TransferGraph, type TransferNode } from '../graph/transfer-graph.ts';
import { HIGHEST_PRIORITY } from './unsupported-fields.ts';

const BOXES = [' ', '/', ' ', 'x'] as const;
const PRIORITIES = ['', '🔽', '🔼', '⏫', '🔺'] as const;
/** Items below each other. Deeper tasks follow at the first level, with their ids. */
const MAXIMUM_DEPTH = 16;

/** Each task has its blockers below it. A task that blocks several is named by its id. */
export function writeMarkdown({ nodes, links }: TransferGraph): string {
  const numbers = new Map(nodes.map(({ key }, index) => [key, index + 1]));
  const parents = new Map<string, string>();
  const named = new Map<string, string[]>();
  for (const { source, target, type } of links) {
    if (type === 1) continue;
    if (parents.has(source)) push(named, target, source);
    else parents.set(source, target);
  }
  const children = new Map<string | null, TransferNode[]>();
  for (const node of nodes) push(children, parents.get(node.key) ?? null, node);
  const order: { node: TransferNode; depth: number }[] = [];
  const open = (children.get(null) ?? []).map((node) => ({ node, depth: 0 })).reverse();
  const deeper: TransferNode[] = [];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    order.push(next);
    const below = children.get(next.node.key) ?? [];
    if (next.depth < MAXIMUM_DEPTH) open.push(...below.map((node) => ({ node, depth: next.depth + 1 })).reverse());
    else {
      for (const node of below) push(named, next.node.key, node.key);
      deeper.push(...below);
    }
    if (open.length === 0)
      open.push(
        ...deeper
          .splice(0)
          .map((node) => ({ node, depth: 0 }))
          .reverse(),
      );
  }
  const withId = new Set([...named.values()].flat());
  const idOf = (key: string) => `t${numbers.get(key) ?? 0}`;
  const lines = order.flatMap(({ node, depth }) => {
    const signs = [
      ...(withId.has(node.key) ? [`🆔 ${idOf(node.key)}`] : []),
      ...(named.has(node.key) ? [`⛔ ${(named.get(node.key) ?? []).map(idOf).join(',')}`] : []),
    ];
    return linesOf(node, signs, '  '.repeat(depth));
  });
  return lines.map((line) => `${line}\n`).join('');
}

function linesOf(node: TransferNode, signs: readonly string[], indent: string): string[] {
  const { title, description, status, dueDate, priority, tags, assignee, volume } = node;
  const day = dueDate === null ? null : dayOf(dueDate);
  const words = [
    titleText(title),
    ...(priority === 0 ? [] : [PRIORITIES[Math.min(HIGHEST_PRIORITY.markdown, priority)]]),
    ...(day === null ? [] : [`📅 ${day}`]),
    ...(dueDate === null || day !== null ? [] : [`[due:: ${dueDate}]`]),
    ...(volume === 0 ? [] : [`[volume:: ${volume}]`]),
    ...signs,
    ...tags.map((tag) => `#${tag.replaceAll(/[\s#]+/g, '_')}`),
    ...assignee.map((name) => `@${name.replaceAll(/\s+/g, '_')}`),
  ];
  const text = description === '' ? [] : description.split('\n').map((line) => bodyLine(line, `${indent}  `));
  return [`${indent}- [${BOXES[status]}] ${words.join(' ')}`, ...text];
}

/** Writes each character that Markdown or a sign could begin with so that it is only text. */
function titleText(title: string): string {
  const safe = onOneLine(title)
    .trim()
    .replaceAll(/[!-/:-@[-`{-~]/g, '\\$&')
    .replaceAll(
      /[\u2600-\u27bf\u23e9-\u23ff\u2b00-\u2bff\u26d4]|\p{Extended_Pictographic}/gu,
      (sign) => `&#${sign.codePointAt(0)};`,
    );
  return safe === '' ? '\\(no title\\)' : safe;
}

/** A line of a description that begins no item, heading or block of its own. */
function bodyLine(line: string, indent: string): string {
  if (line.trim() === '') return '';
  const safe = line.replace(/^([ \t]*)(?=[!-/:-@[-`{-~])/, '$1\\').replace(/^([ \t]*\d{1,9})(?=\\*[.)])/, '$1\\');
  return `${indent}${safe}`;
}
