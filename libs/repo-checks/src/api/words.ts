// The sentences and tables of an operation in both documents.
import type { LimitName } from '@taskgraph/commands/rate-limits';
import { LIMITS } from '@taskgraph/commands/rate-limits';
import { ERRORS, httpStatusOf } from '@taskgraph/wire/error-codes';
import { type ErrorName, type Operation, requirementsOf } from '@taskgraph/wire/operations/operation';

export const TITLE = 'Taskgraph';
export const LICENSE = { name: 'Apache 2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' };
export const VERSION_NOTE = 'Paths and events have no version. Fields and codes may be added; existing ones stay.';

/** The program name of `node:add`: `nodeAdd`. */
export function identifierOf(name: string): string {
  return name.replaceAll(/:(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export const TAGS: Readonly<Record<string, string>> = {
  Nodes: 'Tasks, with trash and restore.',
  Links: 'Dependencies between nodes. A primary link blocks its target until its source is completed.',
  Access: 'Grants give an e-mail a level on a node or its branch.',
  Publishing: 'A public token gives everyone read access to a node or its branch.',
  History: 'Batches of changes, which can be undone and redone.',
  Reading: 'The graph, the trash, and recent changes.',
  Accounts: 'Sign-in, registration, passwords and sessions.',
  Tokens: 'API tokens and bots, for programs, and the addresses of calendars.',
  Webhooks: 'Addresses to which the service posts the changes that a user sees, and the messages to them.',
  Imports: 'Sources of imported files, so that a file that has changed updates the nodes of its earlier import.',
  Administration: 'For administrators.',
  Service: 'The service itself.',
};

/** The tag of an operation, by its name. */
export function tagOf(name: string): keyof typeof TAGS {
  if (/^node:(access|showing)/.test(name)) return 'Access';
  if (/^node:(publish|unpublish)/.test(name)) return 'Publishing';
  if (/^(batch|history):/.test(name)) return 'History';
  if (name.startsWith('node:')) return 'Nodes';
  if (name.startsWith('link:')) return 'Links';
  if (/^(token|bot|calendar):/.test(name)) return 'Tokens';
  if (name.startsWith('hook:')) return 'Webhooks';
  if (name.startsWith('import:')) return 'Imports';
  if (name.startsWith('admin:')) return 'Administration';
  if (name === 'capabilities') return 'Service';
  return /^(graph|branch|trash|changes):/.test(name) ? 'Reading' : 'Accounts';
}

/** The description of an operation in Markdown: its callers, rules and limits. */
export function describeOperation(operation: Operation, limits: readonly LimitName[]): string {
  const { kind, rules } = operation;
  const description = `${deprecationOf(operation)}${operation.description}`;
  const pushes = operation.pushes.map((name) => `\`${name}\``).join(', ');
  const needs = `**Needs:** ${requirementsOf(operation)}`;
  const rulesLine = `**Rules:** ${rules.join(', ')} (docs/rules.md).`;
  if (kind === 'account') {
    return [description, needs, `**Pushes:** ${pushes || 'none'}.`, rulesLine, limitLine(limits)].join('\n\n');
  }
  const pushLine = pushes === '' ? [] : [`**Possible pushes:** ${pushes}.`];
  return [description, needs, rulesLine, limitLine(limits), ...pushLine].join('\n\n');
}

function deprecationOf({ deprecated }: Operation): string {
  if (deprecated === undefined) return '';
  const { since, sunset } = deprecated;
  const end = sunset === undefined ? '' : ` A release from ${sunset} on may lack it.`;
  return `**Deprecated** since ${since}.${end}\n\n`;
}

function limitLine(names: readonly LimitName[]): string {
  const all = LIMITS.filter(({ name }) => names.includes(name));
  const limits = all.map(({ name, points, seconds }) => `\`${name}\` (${points} in ${seconds} s)`);
  return `**Limits:** ${limits.join(', ')}, unless the operator changes them (docs/limits.md).`;
}

/** Codes by their HTTP status. */
export function codesByStatus(codes: readonly ErrorName[]): Map<number, ErrorName[]> {
  const found = new Map<number, ErrorName[]>();
  for (const code of codes) found.set(httpStatusOf(code), [...(found.get(httpStatusOf(code)) ?? []), code]);
  return new Map([...found].sort(([one], [other]) => one - other));
}

/** The operation's own codes. The shared responses explain all codes. */
export function describeRefusals(codes: readonly ErrorName[]): string[] {
  return codes.length === 0 ? [] : [`**Refusals of its own:** ${codes.map((code) => `\`${code}\``).join(', ')}.`];
}

/** A list of codes with their meanings, in the order of the table. */
export function describeCodes(codes: readonly ErrorName[]): string {
  return (Object.keys(ERRORS) as ErrorName[])
    .filter((code) => codes.includes(code))
    .map((code) => `- \`${code}\`: ${withoutLinks(ERRORS[code].meaning)}`)
    .join('\n');
}

/** The links lead to documents that are not published with this one. */
function withoutLinks(text: string): string {
  return text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
}
