// A Python client that openapi-python-client generates from openapi.json.
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../check-api/process.ts';
import { OPENAPI, PROGRAMS, pythonTool } from '../check-api/tools.ts';
import { type ClientOutcome, type ClientStack, outcomeOf, skipped } from './client-test.ts';

export async function testPythonClient({ url, newToken }: ClientStack): Promise<ClientOutcome> {
  const programs = pythonTool('openapi-python-client');
  if (programs === null) return skipped('Python 3');
  const folder = await mkdtemp(join(tmpdir(), 'taskgraph-python-'));
  try {
    const token = await newToken('python@example.com');
    // The generator formats with a tool next to it.
    const env = { PATH: `${programs}:${process.env.PATH}`, TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token };
    const target = ['--output-path', join(folder, 'generated'), '--meta', 'none'];
    const given = ['generate', '--path', OPENAPI, ...target, '--fail-on-warning'];
    const generated = run(join(programs, 'openapi-python-client'), given, { env });
    if (generated.status !== 0) return { succeeded: false, message: `FAILED\n${generated.output}` };
    await copyFile(join(PROGRAMS, 'python', 'plan.py'), join(folder, 'plan.py'));
    const result = run(join(programs, 'python'), ['plan.py'], { cwd: folder, env });
    return outcomeOf(result, 'its client makes nodes, links, finds and reads them');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
