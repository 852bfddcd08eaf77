// Each tidy check reports its faults: a check that cannot fail would go unnoticed.
import { describe, expect, it } from 'vitest';
import { checkCommandFiles } from './command-files.ts';
import { checkCypher } from './cypher.ts';
import { checkFolders } from './folders.ts';
import { checkImports } from './imports.ts';
import { checkModules } from './modules.ts';
import { checkPackageNames } from './package-names.ts';
import { checkPatterns } from './patterns.ts';
import { checkPurity } from './purity.ts';
import { checkRules } from './rules.ts';
import { type Check, describeProblem, sourceOf } from './source.ts';
import { checkText } from './text.ts';

type Files = Readonly<Record<string, string>>;

function messages(check: Check, files: Files): string[] {
  const sources = Object.entries(files).map(([path, text]) => sourceOf(path, text));
  return check(sources).map((problem) => describeProblem(problem, sources));
}

/** Each case is a file with one fault, and a part of the expected message. */
function each(check: Check, cases: readonly (readonly [path: string, text: string, message: string])[]): void {
  for (const [path, text, message] of cases) {
    it(`${path}: ${message}`, () => {
      const found = messages(check, { [path]: text });
      expect(found).toHaveLength(1);
      expect(found[0]).toContain(path);
      expect(found[0]).toContain(message);
      expect(found[0]).toMatch(/ Fix: \S/);
    });
  }
}

describe('imports', () => {
  each(checkImports, [
    ['libs/wire/src/a.ts', "import { x } from '@taskgraph/domain/x';", 'may import none of our packages'],
    ['libs/domain/src/a.ts', "import type { X } from '@taskgraph/commands/x';", 'it may import wire.'],
    ['libs/graph-store/src/a.ts', "const x = await import('@taskgraph/bus/x');", 'must not import bus'],
    ['libs/bus/src/a.ts', "type X = import('@taskgraph/domain/x').X;", 'must not import domain'],
    ['services/worker/src/a.ts', "import '@taskgraph/gateway/x';", 'services/worker must not import gateway'],
    ['services/worker/src/a.ts', "import { x } from '@taskgraph/testkit/x';", 'must not import testkit'],
    [
      'libs/client/src/a.ts',
      "import { x } from '@taskgraph/wire/x';",
      'it may import types of wire, and its modules without zod, domain/plan, domain/find and domain/calendar.',
    ],
    ['libs/client/src/a.ts', "export { x } from '@taskgraph/wire/x';", 'must not import wire/x'],
    ['libs/client/src/a.ts', "import type { X } from '@taskgraph/domain/x';", 'must not import domain/x'],
    [
      'libs/cli/src/a.ts',
      "import { x } from '@taskgraph/wire/x';",
      'it may import client, mcp, wire in src/catalog.ts.',
    ],
    ['libs/domain/src/a.ts', "export { x } from '../../wire/src/x.ts';", 'reaches into another package'],
    ['libs/domain/src/a.ts', "import { x } from './x.js';", 'no extension .ts'],
    ['services/worker/src/a.ts', "import neo4j from 'neo4j-driver';", 'outside libs/graph-store/'],
    ['services/worker/src/a.test.ts', "import neo4j from 'neo4j-driver';", 'outside libs/graph-store/'],
    ['services/gateway/src/a.ts', "import { connect } from '@nats-io/transport-node';", 'outside libs/bus/'],
    ['services/gateway/src/a.ts', "import uws from 'uWebSockets.js';", 'outside services/gateway/src/http/uws.ts'],
    ['services/worker/src/a.ts', "import { Redis } from 'ioredis';", 'outside libs/runtime/src/service/redis.ts'],
    [
      'services/admin/src/a.ts',
      "import { hash } from '@node-rs/argon2';",
      'outside libs/runtime/src/security/passwords.ts',
    ],
    ['loadtest/demo/src/a.ts', "import { io } from 'socket.io-client';", 'outside libs/client/'],
  ]);
  it('the client may import types of wire, and the planner', () => {
    const text =
      "import type { X } from '@taskgraph/wire/x';\nexport type * from '@taskgraph/wire/x';\nimport { y } from '@taskgraph/domain/plan/y';";
    expect(messages(checkImports, { 'libs/client/src/a.ts': text })).toEqual([]);
  });
  it('tests may import testkit', () => {
    const text = "import { x } from '@taskgraph/testkit/x';\nimport { io } from 'socket.io-client';";
    expect(messages(checkImports, { 'services/worker/src/a.test.ts': text })).toEqual([]);
  });
});

describe("the console's texts in English", () => {
  const [texts, view] = ['services/console/src/messages/texts/trash.ts', 'services/console/src/views/trash.tsx'];
  each(checkImports, [
    [view, "import { trash } from '../messages/en/trash.ts';", 'reads English texts'],
    [view, "import { en } from '../messages/en.ts';", 'reads English texts'],
    [view, "const { trash } = await import('../messages/en/trash.ts');", 'reads English texts'],
    ['services/console/src/messages/isolated.ts', "import { en } from './en.ts';", 'reads English texts'],
  ]);
  it.each([
    ['types of them', view, "import type { trash } from '../messages/en/trash.ts';"],
    ['texts in the language of the page', texts, "import { trash } from '../en/trash.ts';"],
    ['other languages', 'services/console/src/messages/ar/trash.ts', "import { trash } from '../en/trash.ts';"],
    ['the texts of the first load', 'services/console/src/messages/messages.ts', "import { en } from './en.ts';"],
    ['themselves', 'services/console/src/messages/en/trash.ts', "import { count } from '../en.ts';"],
    ['tests', 'services/console/src/test/trash.browser.test.ts', "import { trash } from '../messages/en/trash.ts';"],
  ])('may be read by: %s', (_who, path, text) => {
    expect(messages(checkImports, { [path]: text })).toEqual([]);
  });
});

describe('purity', () => {
  each(checkPurity, [
    ['libs/domain/src/a.ts', 'const a = Date.now();', 'Date.now'],
    ['libs/domain/src/a.ts', 'const a = new Date();', 'new Date()'],
    ['libs/commands/src/a.ts', 'const clock = Date;', 'uses Date.'],
    ['libs/commands/src/a.ts', 'const a = Math.random();', 'Math.random'],
    ['libs/commands/src/a.ts', 'const { random } = Math;', 'Math.random'],
    ['libs/commands/src/a.ts', 'const a = process.env;', 'process'],
    ['libs/commands/src/a.ts', 'setTimeout(() => 1, 1);', 'setTimeout'],
    ['libs/domain/src/a.ts', 'const a = { crypto };', 'crypto'],
    ['libs/domain/src/a.ts', "import { x } from 'node:fs';", 'imports node:fs'],
  ]);
  it('pure calculations are allowed', () => {
    const text = 'const a = [new Date(now), Date.parse(now), Math.max(1, 2), step.process]; let d: Date;';
    expect(messages(checkPurity, { 'libs/domain/src/a.ts': text })).toEqual([]);
  });
});

describe('folders', () => {
  const file = (path: string, imported = './c.ts') => [`libs/wire/src/${path}`, `import '${imported}';`] as const;
  const fileList = (ending: string) =>
    Object.fromEntries(Array.from({ length: 23 }, (_, index) => file(`x/${index}${ending}`, '../a.ts')));
  const cases: [string, Files, string[]][] = [
    [
      'folders that import in one direction',
      Object.fromEntries([file('x/a.ts', '../y/b.ts'), file('y/b.ts', '../c.ts')]),
      [],
    ],
    [
      'two folders that import each other',
      Object.fromEntries([file('x/a.ts', '../y/b.ts'), file('y/c.ts', '../x/d.ts')]),
      ['folders import each other'],
    ],
    ['a folder with too many files', fileList('.ts'), ['23 source files']],
    ['a folder with as many tests', fileList('.test.ts'), []],
  ];
  it.each(cases)('%s', (_what, files, message) => {
    const found = messages(checkFolders, files);
    expect(found).toHaveLength(message.length);
    for (const [index, text] of message.entries()) expect(found[index]).toContain(text);
  });
});

describe('modules', () => {
  each(checkModules, [
    ['libs/wire/src/a.ts', 'export const a = 1;', 'does not begin with a comment'],
    ['libs/wire/src/a.ts', `// A.\nexport const a = () => {${'\n  b();'.repeat(100)}\n};`, 'has 102 lines of its own'],
    ['libs/wire/src/index.ts', '// A.\nexport const a = 1;', 'is a barrel'],
    ['libs/wire/src/a.ts', "// A.\nexport * from './b.ts';", 'exports a name that another file declares'],
    ['libs/wire/src/a.ts', "// A.\nexport { b } from './b.ts';", 'exports a name that another file declares'],
    ['libs/wire/src/a.ts', "// A.\nexport type A = import('./b.ts').B;", 'by `import(...)`'],
    ['libs/wire/src/a.ts', '// A.\n@b class A {}', 'decorator'],
    ['libs/wire/src/a.ts', '// A.\nexport const a = { b, ...({ c } as const) };', 'spreads a literal'],
    ['libs/wire/src/a.ts', '// A.\nexport const a = b(...[c, d]);', 'spreads a literal'],
  ]);
  it('the lines of an inner function count only for the inner function', () => {
    const inner = `const c = () => {${'\n  b();'.repeat(50)}\n};`;
    const text = `// A.\nexport function a() {\n${inner}\n${inner.replace('const c', 'const d')}\n}`;
    expect(messages(checkModules, { 'libs/wire/src/a.ts': text })).toEqual([]);
  });
});

describe('commands', () => {
  const table =
    "import { nodeLike } from './node-like.ts';\nconst single = [nodeLike];\nexport const commands = [...single];";
  const command =
    "/** node:like: likes. Rules: GEN8. */\nexport const nodeLike = defineCommand({ name: 'node:like' });";
  const sound: Files = {
    'libs/commands/src/commands.ts': table,
    'libs/commands/src/node-like.ts': command,
    'libs/commands/src/node-like.test.ts': '',
  };
  const { 'libs/commands/src/node-like.test.ts': _test, ...untested } = sound;
  const cases: [Files, string][] = [
    [untested, 'node:like has no test'],
    [{ ...sound, 'libs/commands/src/commands.ts': 'const single = [];' }, 'is not in the table of commands'],
    [
      { ...sound, 'libs/commands/src/commands.ts': table.replace('= [', '= [nodeHate, ') },
      'lists nodeHate, which no file',
    ],
    [{ ...sound, 'libs/commands/src/node-hate.ts': '' }, 'named like an event'],
    [{ ...sound, 'libs/commands/src/node-like.ts': command.replace('GEN8', 'none') }, 'lacks its event or its rules'],
    [{ ...sound, 'libs/commands/src/node-like.ts': command.replace("'node:like'", "'node:likes'") }, 'node-likes.ts'],
    [{ 'services/worker/src/reads/read-likes.ts': "parsePayload(OPERATIONS['likes:get'])" }, 'likes:get has no test'],
  ];
  it('a complete command has no problems', () => expect(messages(checkCommandFiles, sound)).toEqual([]));
  it('the reference model counts as a test', () => {
    const modelled = { ...untested, 'libs/reference-model/src/commands/a.ts': "const all = { 'node:like': like };" };
    expect(messages(checkCommandFiles, modelled)).toEqual([]);
  });
  for (const [files, message] of cases) {
    it(message, () => expect(messages(checkCommandFiles, files).join('\n')).toContain(message));
  }
});

describe('Cypher', () => {
  const header = '/** In: x. Out: y. Locks: none. Cost: one. */\n';
  each(checkCypher, [
    ['libs/graph-store/src/a.ts', `const READ = 'MATCH (n) RETURN n';`, 'lacks In: Out: Locks: Cost:'],
    ['libs/graph-store/src/a.ts', `${header.replace('Cost:', '')}const READ = 'MATCH (n)';`, 'lacks Cost:'],
    ['libs/graph-store/src/a.ts', `${header}const b = 1;\nconst READ = 'MATCH (n)';`, 'lacks In:'],
    ['libs/graph-store/src/a.ts', `${header}const read = 'MATCH (n)';`, 'has no name'],
    ['libs/graph-store/src/a.ts', `function f() { run('UNWIND $x AS y'); }`, 'has no name'],
    ['libs/graph-store/src/a.ts', `${header}const READ = \`MATCH (n:\${label})\`;`, 'text is interpolated into Cypher'],
    ['libs/graph-store/src/a.ts', `${header}const READ = 'MATCH (n) ' + more;`, 'text is interpolated into Cypher'],
    ['libs/graph-store/src/a.ts', `const WHERE = \`WHERE n.title = '\${title}'\`;`, 'text is interpolated into Cypher'],
    ['libs/graph-store/src/a.ts', `const f = (by) => 'ORDER BY n.' + by;`, 'text is interpolated into Cypher'],
    [
      'libs/graph-store/src/commit/write-statement.ts',
      `const deleteLinks = \`DELETE \${kind}\`;`,
      'text is interpolated into Cypher',
    ],
    ['libs/graph-store/src/a.ts', 'const f = (d) => d.read(READ.replace("a", "b"), {});', 'is not a constant'],
    ['libs/graph-store/src/a.ts', 'const f = (d, text) => d.run(text, {});', 'is not a constant'],
    [
      'libs/graph-store/src/a.ts',
      'const f = (d, a, b) => { const s = a ? READ : b; return d.write(s); };',
      'is not a constant',
    ],
    [
      'libs/graph-store/src/a.ts',
      `${header}const READ = 'MATCH (n:Node) USING INDEX n:Node(id) WHERE n.id = $id RETURN n';`,
      'a whole index',
    ],
    [
      'libs/graph-store/src/a.ts',
      `${header}const READ = 'MATCH (n:Node {id: $id})<-[r:BLOCKS]-(s) RETURN s';`,
      'a whole index',
    ],
    ['services/worker/src/a.ts', `database.read('MATCH (n) RETURN n', {});`, 'outside libs/graph-store'],
  ]);
  it('a constant with a contract is allowed, and a map of constants', () => {
    const text = `${header}export const READ = 'MATCH (n:Node {id: $id})<-[r:BLOCKS]-(s) USING INDEX SEEK n:Node(id) RETURN s';\n${header}const BY_TYPE = { a: 'CREATE (n)' };
const WHOLE = \`CALL () {\${READ}}\`;
const f = (d, a) => { const s = a ? READ : WHOLE; return [d.read(s, {}), d.write(WHOLE, { a })]; };`;
    expect(messages(checkCypher, { 'libs/graph-store/src/a.ts': text })).toEqual([]);
  });
});

describe('package names', () => {
  each(checkPackageNames, [
    ['docs/a.md', 'Run `npx taskgraph mcp`.', 'it fetches taskgraph,'],
    ['docs/a.md', 'Run `npx -y taskgraph-cli mcp`.', 'it fetches taskgraph-cli,'],
    ['README.md', 'npm install --global @taskgraph/wire', 'it fetches @taskgraph/wire,'],
    ['libs/cli/README.md', 'npm i taskgraph@latest', 'it fetches taskgraph@latest,'],
    ['docs/a.md', 'pip install taskgraph', 'it installs taskgraph,'],
    ['docs/mcp.json', '{"command": "npx", "args": ["-y", "taskgraph", "mcp"]}', 'it fetches taskgraph,'],
    ['services/console/src/a.ts', "const a = spawn('npx', ['taskgraph', 'mcp']);", 'it fetches taskgraph,'],
  ]);
  it('published packages and files are allowed', () => {
    const lines = [
      'npx -y @taskgraph/cli mcp',
      'npm install --global @taskgraph/cli@1.2.3',
      'npm install @taskgraph/client',
      'npm install ./taskgraph-client-1.2.3.tgz taskgraph-cli-1.2.3.tgz',
      'pip install taskgraph-client',
      'pip install libs/client-python/dist/taskgraph_client-1.2.3-py3-none-any.whl',
      '{"command": "npx", "args": ["-y", "@taskgraph/cli", "mcp"]}',
      'npx vitest run --project tidy',
    ];
    expect(messages(checkPackageNames, { 'docs/a.md': lines.join('\n') })).toEqual([]);
  });
});

describe('patterns', () => {
  const [more, apart] = ['grows with the text', 'composed pattern cannot be analysed'];
  each(checkPatterns, [
    ['libs/wire/src/a.ts', 'const a = /^[^\\p{Cc}]*\\S[^\\p{Cc}]*$/u;', more],
    ['libs/wire/src/a.ts', 'const a = /(T.*[+-]\\d\\d)(?::?(\\d\\d))?$/;', more],
    ['services/gateway/src/a.ts', 'const a = /^(?<all>(a+)b?)+$/;', more],
    ['services/gateway/src/a.ts', 'const a = text.trim().replace(/\\s+$/, "");', more],
    ['deploy/launcher/src/a.ts', 'const a = new RegExp("^(a+)+$", "i");', more],
    ['libs/client/src/a.ts', 'const a = new RegExp(name);', apart],
    ['libs/client/src/a.ts', 'const a = RegExp("^" + name);', apart],
    ['libs/client/src/a.ts', '// Backtracks: a bit.\n\nconst a = /(a+)+$/;', more],
    ['libs/client/src/a.ts', '// It is harmless.\nconst a = /(a+)+$/;', more],
    ['libs/client/src/a.ts', 'const a = /(?<=b)c+(?<!d)\\k<x>/;', "can't be analysed"],
  ]);
  it('anchored, bounded and explained patterns are allowed, and patterns in tests', () => {
    const files = {
      'libs/wire/src/a.ts':
        'const a = [/^[0-9a-f]{64}$/, /^\\s*$/m, /[+-]\\d\\d$/, /^(?<x>a*)(b|$)/, new RegExp("^a$")];',
      'libs/wire/src/b.ts': '// Backtracks: only constants of ours are read.\nconst a = /(a+)+$/;',
      'libs/wire/src/c.ts': 'const a = /(a+)+$/; // Backtracks: only constants of ours are read.',
      'libs/wire/src/a.test.ts': 'const a = /(a+)+$/;',
      'helm/check/src/a.ts': 'const a = /(a+)+$/;',
    };
    expect(messages(checkPatterns, files)).toEqual([]);
  });
});

describe('rules', () => {
  // Joined from parts, because the check also reads this file.
  const unknown = `LNK${11}`;
  each(checkRules, [
    ['libs/wire/src/a.ts', `// Rule: ${unknown}.`, `there is no rule ${unknown}`],
    ['libs/wire/src/a.test.ts', `it('[${unknown}] works', f);`, `cites ${unknown}`],
    ['libs/wire/src/a.test.ts', `test.each([1])('[FOO1] works', f);`, 'cites FOO1'],
    ['libs/wire/src/a.test.ts', `describe('as in ${unknown}', f);`, `cites ${unknown}`],
  ]);
  it('existing rules are allowed', () => {
    const text = "// GEN10, BLK10, NODE5.\nit('[GEN8 LNK4] works', f); it('plain', f);";
    expect(messages(checkRules, { 'libs/wire/src/a.test.ts': text })).toEqual([]);
  });
});

describe('text', () => {
  // Joined from parts, because the check also reads this file.
  const join = (...parts: string[]) => parts.join('');
  each(checkText, [
    ['README.md', join('cd /ho', 'me/ann/taskgraph'), 'path of one machine'],
    ['README.md', join('https://registry', '.npmjs.org'), 'package registry'],
    ['README.md', join('TO', 'DO: more'), 'unfinished'],
    ['README.md', join('takes @FIG', 'URE@ ms'), 'unfinished'],
    ['package-lock.json', join('"resolved": ', '"https://example.org/a.tgz"'), 'download addresses'],
  ]);
});
