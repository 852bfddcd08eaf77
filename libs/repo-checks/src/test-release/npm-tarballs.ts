// The npm tarballs: installed into an empty project, where the client is imported and the command line
// is run by the name of its package.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../check-api/process.ts';
import { type ArtifactTest, artifactPath, expectEqual, expectPart } from './artifact-test.ts';

const PROGRAM = `import { connect } from '@taskgraph/client';
const client = await connect({ url: process.env.TASKGRAPH_URL, token: process.env.TASKGRAPH_TOKEN });
const { diff } = await client.node.add({ title: 'Go live' });
console.log(diff.nodes[0].after.title);
client.close();
`;

/** What a client of agents sends first, over standard input. */
const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

export const npmTarballs: ArtifactTest = {
  name: 'npm tarballs',
  async run(folder, release, { url, newToken }) {
    const home = { XDG_CONFIG_HOME: join(folder, 'config'), XDG_DATA_HOME: join(folder, 'data') };
    const env = { ...home, TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await newToken('tarballs@example.com') };
    writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
    const tarballs = ['client', 'cli'].map((name) => artifactPath(release, `taskgraph-${name}-${release.version}.tgz`));
    const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    must('npm', ['install', ...options, ...tarballs], { cwd: folder });
    // npx runs the installed package, and would fail instead of fetching another one.
    const npx = (given: readonly string[], input?: string) =>
      must('npx', ['--offline', '--yes', '@taskgraph/cli', ...given], {
        cwd: folder,
        env,
        ...(input === undefined ? null : { input }),
      });
    expectEqual('taskgraph --version', npx(['--version']).trim(), release.version);
    expectPart('taskgraph --help', npx(['--help']), 'Usage: taskgraph');

    writeFileSync(join(folder, 'program.js'), PROGRAM);
    expectEqual(
      'the result of the client',
      must(process.execPath, ['program.js'], { cwd: folder, env }).trim(),
      'Go live',
    );
    expectPart('taskgraph tree', npx(['tree']), 'Go live');
    const answer = JSON.parse(npx(['mcp'], `${JSON.stringify(INITIALIZE)}\n`)) as Initialized;
    expectEqual('the version of the server for agents', answer.result.serverInfo.version, release.version);
    return 'the client adds a node, the command line shows it, and its server for agents answers';
  },
};

interface Initialized {
  readonly result: { readonly serverInfo: { readonly version: string } };
}
