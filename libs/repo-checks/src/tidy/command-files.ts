// Each command has a file named after its event, a place in the table, its rules at the top, and a
// test. Each read has a test too.
import { citations, isRule } from './rules.ts';
import { headComment, type Problem, type Source, type SyntaxNode, walk } from './source.ts';

const FOLDER = 'libs/commands/src/';
const TABLE = `${FOLDER}commands.ts`;
/**
 * The lists of the table with the commands of users, and with those of jobs, which no transport may
 * reach.
 */
const OF_USERS = ['single', 'commands'];
const OF_SYSTEM = ['systemCommands'];

const DEFINING = new Set(['defineCommand', 'defineSteppedCommand', 'defineSystemCommand']);

/** The reference model: random runs compare each of its commands with the real one. */
const MODEL = 'libs/reference-model/src/commands/';
/** A file that answers a client's read. */
const READ_FILE = /^services\/worker\/src\/reads\/(?:\w+\/)?read-[a-z]+\.ts$/;

/** Folders of code that commands share. */
const SHARED = new RegExp(`^${FOLDER}(rules|pipeline)/`);

/** The test files that cover several commands. */
const SHARED_TESTS: Readonly<Record<string, string>> = {
  'node:access': 'libs/commands/src/rules/grants.test.ts',
  'node:access:update': 'libs/commands/src/rules/grants.test.ts',
  'node:access:delete': 'libs/commands/src/rules/grants.test.ts',
  'node:showing': 'libs/commands/src/rules/grants.test.ts',
  'node:publish': 'libs/commands/src/rules/publications.test.ts',
  'node:publish:update': 'libs/commands/src/rules/publications.test.ts',
  'node:unpublish': 'libs/commands/src/rules/publications.test.ts',
  'batch:undo': 'libs/commands/src/history/revert-batch.test.ts',
  'batch:redo': 'libs/commands/src/history/revert-batch.test.ts',
};

interface Definition {
  readonly source: Source;
  /** The name of its constant. */
  readonly name: string;
  readonly event: string;
  /** Whether only the system may send it. */
  readonly isSystems: boolean;
}

export function checkCommandFiles(sources: readonly Source[]): Problem[] {
  const reads = sources.filter(({ path }) => READ_FILE.test(path)).flatMap((source) => checkRead(source, sources));
  const table = sources.find(({ path }) => path === TABLE);
  if (table === undefined) return reads;
  const files = sources.filter(({ path }) => path.startsWith(FOLDER) && !path.endsWith('.test.ts'));
  const definitions = files.flatMap(definitionsIn);
  const [ofUsers, ofSystem] = [false, true].map((wanted) =>
    definitions.filter(({ isSystems }) => isSystems === wanted),
  );
  return [
    ...reads,
    ...definitions.flatMap((definition) => [
      ...checkName(definition),
      ...checkHead(definition),
      ...checkTest(definition, sources),
    ]),
    ...checkTable(table, OF_USERS, ofUsers ?? []),
    ...checkTable(table, OF_SYSTEM, ofSystem ?? []),
    ...checkLookalikes(files, definitions),
  ];
}

function definitionsIn(source: Source): Definition[] {
  const found: Definition[] = [];
  walk(source.code?.program, (node) => {
    if (node.type !== 'VariableDeclarator') return;
    const init = node.init as SyntaxNode | null;
    // A command that runs others receives them as a parameter.
    const call = init?.type === 'ArrowFunctionExpression' ? (init.body as SyntaxNode) : init;
    if (call?.type !== 'CallExpression') return;
    const callee = (call.callee as SyntaxNode).name;
    const isSystems = callee === 'defineSystemCommand';
    if (!DEFINING.has(String(callee))) return;
    const [object] = call.arguments as SyntaxNode[];
    const properties = (object?.properties ?? []) as { key?: { name?: string }; value?: { value?: unknown } }[];
    const event = properties.find(({ key }) => key?.name === 'name')?.value?.value;
    found.push({ source, name: (node.id as SyntaxNode).name as string, event: String(event), isSystems });
  });
  return found;
}

/** The name of a command's file is its event, in any folder. */
function nameOf(event: string): string {
  return `${event.replaceAll(':', '-')}.ts`;
}

function checkName({ source, name, event }: Definition): Problem[] {
  const wanted = event.replaceAll(/[:-](\w)/g, (_, letter: string) => letter.toUpperCase());
  if (source.path.endsWith(`/${nameOf(event)}`) && name === wanted) return [];
  const rule = `${event} is defined as ${name}.`;
  return [{ path: source.path, rule, fix: `put it into ${nameOf(event)} and call it ${wanted}.` }];
}

function checkHead({ source, event }: Definition): Problem[] {
  const head = headComment(source);
  if (head.replace(/^[\s*]*/, '').startsWith(`${event}:`) && /\bRules?:/.test(head) && citations(head).some(isRule)) {
    return [];
  }
  const rule = "a command's head comment lacks its event or its rules.";
  return [{ path: source.path, rule, fix: `begin the file with /** ${event}: its effect. Rules: GEN8. */` }];
}

function checkTest({ source, event }: Definition, sources: readonly Source[]): Problem[] {
  const own = source.path.replace(/\.ts$/, '.test.ts');
  const hasOwn = sources.some(({ path }) => path === own);
  const shared = SHARED_TESTS[event];
  const isModelled = sources.some(({ path, text }) => path.startsWith(MODEL) && text.includes(`'${event}':`));
  if (shared === undefined && isModelled) return [];
  if (shared === undefined) {
    const fix = `write ${own}, or name the shared test in SHARED_TESTS of command-files.ts.`;
    return hasOwn ? [] : [{ path: source.path, rule: `${event} has no test.`, fix }];
  }
  const text = sources.find(({ path }) => path === shared)?.text ?? '';
  if (text.includes(`'${event}'`)) return [];
  const fix = 'name the right file in SHARED_TESTS of command-files.ts.';
  return [{ path: shared, rule: `it is listed as the test of ${event}, but does not name it.`, fix }];
}

/** The test next to a read names it. */
function checkRead({ path, text }: Source, sources: readonly Source[]): Problem[] {
  const [, name] = /\bOPERATIONS\['([a-z:]+)'\]/.exec(text) ?? [];
  if (name === undefined) return [];
  const tests = [path.replace(/\.ts$/, '.test.ts'), path.replace(/\.ts$/, '.neo4j.test.ts')];
  if (sources.some((source) => tests.includes(source.path) && source.text.includes(`'${name}'`))) return [];
  return [{ path, rule: `${name} has no test.`, fix: `write ${tests.join(' or ')}, which names it.` }];
}

/** The commands in lists of the table. */
function checkTable(table: Source, lists: readonly string[], definitions: readonly Definition[]): Problem[] {
  const listed = new Set<string>();
  walk(table.code?.program, (node) => {
    if (node.type !== 'VariableDeclarator' || !lists.includes((node.id as SyntaxNode).name as string)) return;
    const { elements = [] } = node.init as { elements?: SyntaxNode[] };
    for (const element of elements) {
      if (element.type === 'SpreadElement') continue;
      const named = element.type === 'CallExpression' ? (element.callee as SyntaxNode) : element;
      listed.add(String(named.name));
    }
  });
  const missing = definitions
    .filter(({ name }) => !listed.has(name))
    .map(({ source, name, event }) => ({
      path: source.path,
      rule: `${event} is not in the table of commands.`,
      fix: `add ${name} to ${lists[0]} in ${table.path}.`,
    }));
  const unknown = [...listed]
    .filter((name) => definitions.every((definition) => definition.name !== name))
    .map((name) => ({
      path: table.path,
      rule: `it lists ${name}, which no file here defines.`,
      fix: `define it in ${FOLDER} in a file named after its event, or remove it.`,
    }));
  return [...missing, ...unknown];
}

/**
 * A file that is named like an event without a command would hide a command that clients cannot
 * call.
 */
function checkLookalikes(files: readonly Source[], definitions: readonly Definition[]): Problem[] {
  const resources = new Set(definitions.map(({ event }) => event.split(':')[0]));
  return files
    .filter(({ path }) => !SHARED.test(path) && resources.has(/\/(\w+)-[^/]+$/.exec(path)?.[1]))
    .filter((source) => definitions.every((definition) => definition.source !== source))
    .map(({ path }) => ({
      path,
      rule: 'it is named like an event and defines no command.',
      fix: 'define the command in it, or name the file after its content.',
    }));
}
