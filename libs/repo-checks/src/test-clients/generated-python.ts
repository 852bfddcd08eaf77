// A Python client that openapi-python-client generates from openapi.json.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../check-api/process.ts';
import { hasPython, OPENAPI, PROGRAMS } from '../check-api/tools.ts';
import { type ClientTest, verifyOutput } from './client-test.ts';
import { clientTools } from './python-tools.ts';

export const generatedPython: ClientTest = {
  name: 'openapi-python-client',
  lacks: () => (hasPython() ? null : 'Python 3'),
  build(folder) {
    const tools = clientTools();
    const target = ['--output-path', join(folder, 'generated'), '--meta', 'none'];
    const given = ['generate', '--path', OPENAPI, ...target, '--fail-on-warning'];
    // The generator formats with a tool next to it.
    must(join(tools, 'openapi-python-client'), given, { env: { PATH: `${tools}:${process.env.PATH}` } });
    copyFileSync(join(PROGRAMS, 'python', 'plan.py'), join(folder, 'plan.py'));
  },
  async run(folder, { url, newToken }) {
    const env = { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await newToken('python@example.com') };
    verifyOutput(must(join(clientTools(), 'python'), ['plan.py'], { cwd: folder, env }));
    return 'its client makes nodes, links, finds and reads them';
  },
};
