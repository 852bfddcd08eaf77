// The allowed imports between packages, and the places that may import an external library. Design: layout.
import { isTest, type Problem, type Source, type SyntaxNode, walk } from './source.ts';

/** Packages that only tests import. */
const TEST_PACKAGES = ['testkit', 'reference-model', 'repo-checks'];

const ALL_LIBS = ['wire', 'domain', 'commands', 'graph-store', 'bus', 'runtime', 'client', 'mcp'];

/** The packages that a package may import. `services/*` stands for every service; no package imports a service. */
const ARROWS: Readonly<Record<string, readonly string[]>> = {
  'libs/wire': [],
  'libs/domain': ['wire'],
  'libs/commands': ['domain', 'wire'],
  'libs/graph-store': ['domain', 'wire'],
  'libs/bus': ['wire'],
  'libs/runtime': ['wire'],
  'libs/mcp': ['domain', 'wire'],
  // Packing bundles the private packages that these two import (deploy/pack.mjs).
  'libs/client': ['wire', 'domain'],
  'libs/cli': ['client', 'mcp', 'wire'],
  'libs/testkit': ['wire', 'commands', 'client', 'graph-store', 'runtime', 'launcher'],
  // Its leak search strips slices as a gateway does.
  'libs/reference-model': ['domain', 'wire', 'testkit'],
  'libs/repo-checks': ['wire', 'commands', 'runtime', 'launcher', 'testkit', 'helm-check'],
  // Its build bundles the client, and the planner for its worker. The gateway serves its files, and
  // imports nothing of it.
  'services/console': ['client', 'domain'],
  'services/*': ALL_LIBS.filter((name) => name !== 'client'),
  // The launcher starts built code and must start without it.
  'deploy/launcher': [],
  'deploy/release': ['launcher', 'helm-check', 'repo-checks'],
  'helm/check': ['launcher'],
  'loadtest/bench': ['wire', 'client', 'runtime', 'launcher', 'testkit'],
  'loadtest/demo': ['client'],
  'loadtest/k6': ['commands', 'wire', 'launcher'],
  'loadtest/fault-test': ['wire', 'client', 'graph-store', 'launcher', 'testkit'],
  'loadtest/siege': ['bench', 'client', 'launcher'],
  // Its plugin is for tests alone.
  'vitest.config.ts': ['testkit'],
};

/** The modules of wire that published packages bundle. */
const WITHOUT_ZOD = ['control-characters', 'defined-fields', 'field-table', 'node-fields', 'link-fields', 'timestamps'];

/** Conditions of allowed imports, except in tests. They keep schemas and zod out of published packages. */
const CONDITIONS: readonly Condition[] = [
  {
    own: 'libs/client',
    name: 'wire',
    part: 'types of wire, and its modules without zod',
    allows: ({ from, isType }) => isType || WITHOUT_ZOD.includes(from.slice('@taskgraph/wire/'.length)),
  },
  {
    own: 'libs/client',
    name: 'domain',
    part: 'domain/plan, domain/find and domain/calendar',
    allows: ({ from }) => /^@taskgraph\/domain\/(plan|find|calendar)\//.test(from),
  },
  {
    own: 'libs/cli',
    name: 'wire',
    part: 'wire in src/catalog.ts',
    allows: (_, path) => path === 'libs/cli/src/catalog.ts',
  },
];

interface Condition {
  readonly own: string;
  readonly name: string;
  /** The part that may be imported, in words. */
  readonly part: string;
  allows(imported: Import, path: string): boolean;
}

/** The places of external libraries. Tests may import those with `inTests` too. */
const PLACES: readonly { name: RegExp; places: readonly string[]; inTests?: boolean }[] = [
  // The bench's baseline is the bare driver.
  { name: /^neo4j-driver/, places: ['libs/graph-store/', 'loadtest/bench/'] },
  { name: /^@nats-io\//, places: ['libs/bus/'] },
  // The bench's other baseline is plain Socket.IO on it.
  {
    name: /^uWebSockets\.js$/,
    places: [
      'services/gateway/src/http/uws.ts',
      'loadtest/bench/src/baseline/plain-server.ts',
      'loadtest/bench/src/baseline/poll-server.ts',
    ],
  },
  {
    name: /^(socket\.io|@socket\.io\/.*)$/,
    places: ['services/gateway/', 'loadtest/bench/src/baseline/plain-server.ts'],
    inTests: true,
  },
  {
    name: /^ioredis$/,
    places: ['redis', 'ioredis-cluster-fix', 'ioredis-sentinel-fix'].map(
      (name) => `libs/runtime/src/service/${name}.ts`,
    ),
    inTests: true,
  },
  { name: /^bullmq$/, places: ['services/jobs/src/queues.ts'], inTests: true },
  { name: /^rate-limiter-flexible$/, places: ['services/gateway/src/limits/redis-counter.ts'] },
  { name: /^cookie$/, places: ['services/gateway/src/auth/credential.ts'] },
  {
    name: /^ipaddr\.js$/,
    places: ['services/gateway/src/http/client-address.ts', 'services/hooks/src/addresses/address-class.ts'],
    inTests: true,
  },
  { name: /^@node-rs\/argon2$/, places: ['libs/runtime/src/security/passwords.ts'] },
  { name: /^prom-client$/, places: ['libs/runtime/src/telemetry/metrics.ts'] },
  { name: /^@opentelemetry\/core$/, places: ['services/gateway/src/trace.ts'] },
  { name: /^@opentelemetry\/(?!(api|core)$)/, places: ['libs/runtime/src/telemetry/tracing.ts'] },
  { name: /^nodemailer$/, places: ['services/gateway/src/accounts/mail.ts'] },
  { name: /^openid-client$/, places: ['services/gateway/src/accounts/provider.ts'] },
  // A page that imports the client's root must not bundle these.
  { name: /^@noble\/hashes\//, places: ['libs/client/src/transfer/import/content-hash.ts'] },
  {
    name: /^standardwebhooks$/,
    places: ['libs/client/src/hooks.ts', 'libs/cli/src/hooks/forwarder.ts'],
    inTests: true,
  },
  { name: /^papaparse$/, places: ['libs/client/src/transfer/text/csv-table.ts'] },
  { name: /^saxes$/, places: ['libs/client/src/transfer/text/xml-tree.ts'] },
  { name: /^js-yaml$/, places: ['libs/client/src/transfer/text/yaml-document.ts'] },
  { name: /^react(-dom)?(\/|$)/, places: ['services/console/', 'libs/client/src/react'], inTests: true },
  { name: /^axe-core$/, places: ['services/console/src/test/'] },
  { name: /^playwright-core$/, places: ['libs/testkit/src/stack/browser.ts'] },
  { name: /^socket\.io-client$/, places: ['libs/client/'], inTests: true },
];

interface Import {
  readonly from: string;
  readonly at: number;
  /** Whether the build removes it. */
  readonly isType: boolean;
}

export function checkImports(sources: readonly Source[]): Problem[] {
  return sources.flatMap((source) =>
    importsOf(source).flatMap((imported) => [
      ...checkArrow(source, imported),
      ...checkPlace(source, imported),
      ...checkRelative(source, imported),
      ...checkEnglish(source, imported),
    ]),
  );
}

/** Every module that a file names: in static and dynamic imports, import types and exports. */
export function importsOf({ code }: Source): Import[] {
  const imports: Import[] = [];
  const add = (source: unknown, isType: boolean) => {
    const literal = source as SyntaxNode | null | undefined;
    if (typeof literal?.value === 'string') imports.push({ from: literal.value, at: literal.start, isType });
  };
  walk(code?.program, (node) => {
    if (/^(Import|ExportNamed|ExportAll)Declaration$/.test(node.type)) {
      add(node.source, node.importKind === 'type' || node.exportKind === 'type');
    }
    if (node.type === 'ImportExpression' || node.type === 'TSImportType') {
      add(node.source, node.type === 'TSImportType');
    }
  });
  return imports;
}

function packageOf(path: string): string {
  return path.split('/').slice(0, 2).join('/');
}

function checkArrow(source: Source, imported: Import): Problem[] {
  const { from, at } = imported;
  const name = /^@taskgraph\/([^/]+)/.exec(from)?.[1];
  if (name === undefined) return [];
  const own = packageOf(source.path);
  const allowed = ARROWS[own] ?? ARROWS[own.startsWith('services/') ? 'services/*' : own] ?? [];
  const conditions = CONDITIONS.filter((condition) => condition.own === own);
  const condition = isTest(source) ? undefined : conditions.find((each) => each.name === name);
  if (allowed.includes(name) && condition?.allows(imported, source.path) !== false) return [];
  if (isTest(source) && TEST_PACKAGES.includes(name)) return [];
  const parts = allowed.map((each) => conditions.find((condition) => condition.name === each)?.part ?? each);
  const can = parts.length === 0 ? 'none of our packages' : parts.join(', ');
  return [
    {
      path: source.path,
      at,
      rule: `${own} must not import ${from.slice('@taskgraph/'.length)}: it may import ${can}.`,
      fix: 'move the code down into a package that both may import, or pass it from main.ts.',
    },
  ];
}

function checkPlace(source: Source, { from, at }: Import): Problem[] {
  const place = PLACES.find(({ name }) => name.test(from));
  if (place === undefined || place.places.some((allowed) => source.path.startsWith(allowed))) return [];
  if (place.inTests && isTest(source)) return [];
  const fix = `use ${place.places[0]}, which wraps it.`;
  return [{ path: source.path, at, rule: `${from} is imported outside ${place.places.join(' and ')}.`, fix }];
}

const MESSAGES = 'services/console/src/messages/';
/** The modules of all texts, and those in one language. */
const READERS_OF_ENGLISH = ['texts/', 'messages.ts', 'ar/', 'ar.ts', 'en/'].map((name) => MESSAGES + name);

/** A view that reads the console's English texts would show them on a page in another language. */
function checkEnglish(source: Source, { from, at, isType }: Import): Problem[] {
  if (isType || isTest(source) || READERS_OF_ENGLISH.some((reader) => source.path.startsWith(reader))) return [];
  const target = from.startsWith('.') ? targetOf(source, from) : '';
  if (target !== `${MESSAGES}en.ts` && !target.startsWith(`${MESSAGES}en/`)) return [];
  const fix = `import ${MESSAGES}texts/ or messages.ts, which have the language of the page.`;
  return [{ path: source.path, at, rule: `${from} reads English texts whatever the page's language.`, fix }];
}

function targetOf({ path }: Source, from: string): string {
  return new URL(from, `file:///${path}`).pathname.slice(1);
}

function checkRelative(source: Source, { from, at }: Import): Problem[] {
  if (!from.startsWith('.') || !/\.tsx?$/.test(source.path)) return [];
  const target = targetOf(source, from);
  if (packageOf(target) !== packageOf(source.path)) {
    const fix = 'import the package by name: @taskgraph/<name>/<file>.';
    return [{ path: source.path, at, rule: `${from} reaches into another package.`, fix }];
  }
  // Vite reads the query: the file becomes a worker.
  if (/\.(tsx?|css)(\?worker&url)?$/.test(from)) return [];
  return [{ path: source.path, at, rule: `${from} has no extension .ts.`, fix: 'write the full file name.' }];
}
