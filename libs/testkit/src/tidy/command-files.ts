// One command, one file: named after its event, listed in the catalog, with its rules at the top and a test.
import { citations, isRule } from './rules.ts';
import { headComment, type Problem, type Source, type SyntaxNode, walk } from './source.ts';

const FOLDER = 'libs/commands/src/';
const CATALOG = `${FOLDER}catalog.ts`;
/** A part of the catalog: commands that are one operation each. */
const MUTATIONS = `${FOLDER}mutations.ts`;
/** The commands of jobs: no route may lead to them. */
const SYSTEM_CATALOG = `${FOLDER}system-catalog.ts`;

const DEFINING = new Set(['defineCommand', 'defineSteppedCommand', 'defineRead', 'defineSystemCommand']);

/** Folders of what commands share. */
const SHARED = new RegExp(`^${FOLDER}(rules|pipeline)/`);

/** Events whose test is not beside them, because it is about several: the file that has their names in it. */
const SHARED_TESTS: Readonly<Record<string, string>> = {
  'node:add': 'libs/testkit/src/model/random/steps.ts',
  'node:update': 'libs/testkit/src/model/random/steps.ts',
  'link:add': 'libs/testkit/src/model/random/steps.ts',
  'link:trash': 'libs/testkit/src/model/random/steps.ts',
  'link:swap': 'libs/testkit/src/model/random/steps.ts',
  'node:trash': 'libs/testkit/src/model/random/steps.ts',
  'node:restore': 'libs/testkit/src/model/random/steps.ts',
  'node:delete': 'libs/testkit/src/model/random/steps.ts',
  'link:restore': 'libs/testkit/src/model/random/steps.ts',
  'link:update': 'libs/testkit/src/model/random/steps.ts',
  'link:delete': 'libs/testkit/src/model/random/steps.ts',
  'node:access': 'libs/commands/src/rules/granting.test.ts',
  'node:access:update': 'libs/commands/src/rules/granting.test.ts',
  'node:access:delete': 'libs/commands/src/rules/granting.test.ts',
  'node:showing': 'libs/commands/src/rules/granting.test.ts',
  'node:publish': 'libs/commands/src/rules/publishing.test.ts',
  'node:publish:update': 'libs/commands/src/rules/publishing.test.ts',
  'node:unpublish': 'libs/commands/src/rules/publishing.test.ts',
  'batch:undo': 'libs/commands/src/history/undoing.test.ts',
  'batch:redo': 'libs/commands/src/history/undoing.test.ts',
  'trash:page': 'services/worker/src/reads/read-trash.neo4j.test.ts',
  'graph:get': 'services/worker/src/reads/read-graph.neo4j.test.ts',
  'branch:get': 'services/worker/src/reads/read-branch.neo4j.test.ts',
  'node:access:list': 'services/worker/src/reads/read-access.neo4j.test.ts',
  'history:page': 'services/worker/src/reads/read-history.neo4j.test.ts',
  'changes:get': 'services/worker/src/reads/read-changes.neo4j.test.ts',
  'graph:plan': 'services/worker/src/reads/read-plan.neo4j.test.ts',
  'node:why': 'services/worker/src/reads/why/read-why.neo4j.test.ts',
};

interface Definition {
  readonly source: Source;
  /** The constant that holds it. */
  readonly name: string;
  readonly event: string;
  /** Whether the system alone may send it. */
  readonly isSystems: boolean;
}

export function checkCommandFiles(sources: readonly Source[]): Problem[] {
  const catalog = sources.find(({ path }) => path === CATALOG);
  if (catalog === undefined) return [];
  const files = sources.filter(({ path }) => path.startsWith(FOLDER) && !path.endsWith('.test.ts'));
  const definitions = files.flatMap(definitionsIn);
  const systems = sources.find(({ path }) => path === SYSTEM_CATALOG);
  return [
    ...definitions.flatMap((definition) => [
      ...checkName(definition),
      ...checkHead(definition),
      ...checkTest(definition, sources),
    ]),
    ...checkCatalog(
      catalog,
      'catalog',
      definitions.filter(({ isSystems }) => !isSystems),
      sources.filter(({ path }) => path === MUTATIONS),
    ),
    ...(systems === undefined
      ? []
      : checkCatalog(
          systems,
          'systemCatalog',
          definitions.filter(({ isSystems }) => isSystems),
        )),
    ...checkLookalikes(files, definitions),
  ];
}

function definitionsIn(source: Source): Definition[] {
  const found: Definition[] = [];
  walk(source.code?.program, (node) => {
    if (node.type !== 'VariableDeclarator') return;
    const call = node.init as SyntaxNode | null;
    if (call?.type !== 'CallExpression') return;
    const callee = (call.callee as SyntaxNode).name;
    const isSystems = callee === 'defineSystemCommand';
    if (!DEFINING.has(String(callee))) return;
    const [object] = call.arguments as SyntaxNode[];
    const properties = (object?.properties ?? []) as { key?: { name?: string }; value?: { value?: unknown } }[];
    const event = properties.find(({ key }) => key?.name === 'event')?.value?.value;
    found.push({ source, name: (node.id as SyntaxNode).name as string, event: String(event), isSystems });
  });
  return found;
}

/** A command's file is called like its event, whichever folder of its kind it stands in. */
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
  if (head.replace(/^\*?\s*/, '').startsWith(`${event}:`) && /\bRules?:/.test(head) && citations(head).some(isRule)) {
    return [];
  }
  const rule = "a command's head comment names neither its event nor its rules.";
  return [{ path: source.path, rule, fix: `open the file with /** ${event}: what it does. Rules: GEN8. */` }];
}

function checkTest({ source, event }: Definition, sources: readonly Source[]): Problem[] {
  const own = source.path.replace(/\.ts$/, '.test.ts');
  const hasOwn = sources.some(({ path }) => path === own);
  const shared = SHARED_TESTS[event];
  if (shared === undefined) {
    const fix = `write ${own}, or name the shared test in SHARED_TESTS of command-files.ts.`;
    return hasOwn ? [] : [{ path: source.path, rule: `${event} has no test.`, fix }];
  }
  const text = sources.find(({ path }) => path === shared)?.text ?? '';
  if (text.includes(`'${event}'`)) return [];
  const fix = 'name the right file in SHARED_TESTS of command-files.ts.';
  return [{ path: shared, rule: `it is said to test ${event}, and does not name it.`, fix }];
}

/** The names in a list that a catalog takes in whole. */
function namesIn(lists: readonly Source[], list: string): string[] {
  const names: string[] = [];
  for (const { code } of lists) {
    walk(code?.program, (node) => {
      if (node.type !== 'VariableDeclarator' || (node.id as SyntaxNode).name !== list) return;
      const { elements = [] } = node.init as { elements?: SyntaxNode[] };
      names.push(...elements.map((element) => String(element.name)));
    });
  }
  return names;
}

function checkCatalog(
  catalog: Source,
  list: string,
  definitions: readonly Definition[],
  lists: readonly Source[] = [],
): Problem[] {
  const listed = new Set<string>();
  walk(catalog.code?.program, (node) => {
    if (node.type !== 'VariableDeclarator' || (node.id as SyntaxNode).name !== list) return;
    const { elements = [] } = node.init as { elements?: SyntaxNode[] };
    for (const element of elements) {
      if (element.type !== 'SpreadElement') listed.add(String(element.name));
      else for (const name of namesIn(lists, String((element.argument as SyntaxNode).name))) listed.add(name);
    }
  });
  const missing = definitions
    .filter(({ name }) => !listed.has(name))
    .map(({ source, name, event }) => ({
      path: source.path,
      rule: `${event} is not in the catalog.`,
      fix: `add ${name} to the list in ${catalog.path}.`,
    }));
  const unknown = [...listed]
    .filter((name) => definitions.every((definition) => definition.name !== name))
    .map((name) => ({
      path: catalog.path,
      rule: `it lists ${name}, which no file here defines.`,
      fix: `define it in ${FOLDER} in a file named after its event, or take it out.`,
    }));
  return [...missing, ...unknown];
}

/** A file that is named like an event and defines none would hide a command that nobody can call. */
function checkLookalikes(files: readonly Source[], definitions: readonly Definition[]): Problem[] {
  const resources = new Set(definitions.map(({ event }) => event.split(':')[0]));
  return files
    .filter(({ path }) => !SHARED.test(path) && resources.has(/\/(\w+)-[^/]+$/.exec(path)?.[1]))
    .filter((source) => definitions.every((definition) => definition.source !== source))
    .map(({ path }) => ({
      path,
      rule: 'it is named like an event and defines no command.',
      fix: 'define the command in it, or name the file after what it holds.',
    }));
}
