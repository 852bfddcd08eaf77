// The tests and groups of tests in a file, by their titles, and the modifiers that disable them.
import { type Source, type SyntaxNode, walk } from './source.ts';

/** A call of test, it or describe with a literal title. */
export interface TitledTest {
  readonly kind: 'test' | 'group';
  /** Of a parametrised test, the template: `level %i is refused`, or `${path}: ${says}`. */
  readonly title: string;
  /** The titles of the groups around it, outermost first, and its own. */
  readonly titles: readonly string[];
  /** Position in the text. */
  readonly at: number;
  /** Why it proves nothing, or null. */
  readonly disabledBy: string | null;
}

/** Modifiers of tests that do not run, run only sometimes, or are meant to fail. */
const DISABLING = new Set(['skip', 'skipIf', 'runIf', 'todo', 'fails']);

/** Calls that return the function for the title: `test.each(table)`. */
const FACTORIES = new Set(['each', 'for', 'skipIf', 'runIf', 'extend']);

/** All tests and groups, in the order of the file. */
export function titlesIn(source: Source): TitledTest[] {
  const found = new Map<SyntaxNode, ParsedCall>();
  walk(source.code?.program, (node, above) => {
    const call = node.type === 'CallExpression' ? readCall(node, source.text) : null;
    if (call === null) return;
    const groups = above.map((each) => found.get(each)).filter((group) => group !== undefined);
    found.set(node, { ...call, groups, at: node.start });
  });
  const all = [...found.values()];
  const hasOnly = all.some(({ modifiers }) => modifiers.includes('only'));
  return all.map((each) => ({
    kind: each.kind,
    title: each.title,
    titles: [...each.groups, each].map(({ title }) => title),
    at: each.at,
    disabledBy: reasonOf(each, hasOnly),
  }));
}

interface Call {
  readonly kind: TitledTest['kind'];
  readonly title: string;
  readonly modifiers: readonly string[];
  readonly isSkippedInside: boolean;
}

interface ParsedCall extends Call {
  readonly groups: readonly ParsedCall[];
  readonly at: number;
}

function readCall(call: SyntaxNode, text: string): Call | null {
  const modifiers: string[] = [];
  let callee = call.callee as SyntaxNode;
  if (FACTORIES.has(nameOf(callee))) return null;
  for (;;) {
    if (callee.type === 'MemberExpression') {
      modifiers.push(nameOf(callee));
      callee = callee.object as SyntaxNode;
    } else if (callee.type === 'CallExpression') callee = callee.callee as SyntaxNode;
    else if (callee.type === 'TaggedTemplateExpression') callee = callee.tag as SyntaxNode;
    else break;
  }
  const root = callee.type === 'Identifier' ? (callee.name as string) : '';
  const [first, ...others] = call.arguments as SyntaxNode[];
  const title = titleOf(first, text);
  if (!['test', 'it', 'describe'].includes(root) || title === null) return null;
  // A test without a body is only planned.
  if (others.length === 0) modifiers.push('todo');
  for (const option of optionsIn(others)) if (DISABLING.has(option)) modifiers.push(option);
  const kind = root === 'describe' ? 'group' : 'test';
  return { kind, title, modifiers, isSkippedInside: kind === 'test' && callsSkip(others) };
}

/** The last name of the callee: `each` of `test.each`, `skip` of `context.skip` and of `skip`. */
function nameOf(callee: SyntaxNode): string {
  const name = callee.type === 'MemberExpression' ? (callee.property as SyntaxNode) : callee;
  return name.type === 'Identifier' ? (name.name as string) : '';
}

/** A template stays as written, because its value is known only at run time. */
function titleOf(argument: SyntaxNode | undefined, text: string): string | null {
  if (argument?.type === 'Literal' && typeof argument.value === 'string') return argument.value;
  return argument?.type === 'TemplateLiteral' ? text.slice(argument.start + 1, argument.end - 1) : null;
}

/** `{ skip: true }` between title and body. */
function optionsIn(argumentsAfterTitle: readonly SyntaxNode[]): string[] {
  return argumentsAfterTitle
    .filter(({ type }) => type === 'ObjectExpression')
    .flatMap((object) => object.properties as { key?: SyntaxNode }[])
    .map(({ key }) => (key?.type === 'Identifier' ? (key.name as string) : ''));
}

function callsSkip(body: readonly SyntaxNode[]): boolean {
  let calls = false;
  walk(body, (node) => {
    if (node.type === 'CallExpression' && nameOf(node.callee as SyntaxNode) === 'skip') calls = true;
  });
  return calls;
}

function reasonOf(found: ParsedCall, hasOnly: boolean): string | null {
  const chain = [...found.groups, found];
  const modifier = chain.flatMap(({ modifiers }) => modifiers).find((name) => DISABLING.has(name));
  if (modifier !== undefined) return `it is disabled by ${modifier}`;
  if (found.isSkippedInside) return 'it can skip itself';
  const isChosen = chain.some(({ modifiers }) => modifiers.includes('only'));
  return hasOnly && !isChosen ? 'another test of its file is marked as the only one' : null;
}
