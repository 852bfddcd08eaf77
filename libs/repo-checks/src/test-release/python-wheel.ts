// The wheel: installed into an empty environment without an index, beside the packages that it needs.
import { join } from 'node:path';
import { must } from '../check-api/process.ts';
import { clientTools } from '../test-clients/python-tools.ts';
import { type ArtifactTest, artifactPath, expectEqual } from './artifact-test.ts';

const PROGRAM = `import os
from importlib.metadata import version
from taskgraph_client import Client
with Client(os.environ["TASKGRAPH_URL"], os.environ["TASKGRAPH_TOKEN"]) as client:
    made = client.node.add(title="Go live")
    print(version("taskgraph-client"), made["diff"]["nodes"][0]["after"]["title"])
`;

export const pythonWheel: ArtifactTest = {
  name: 'Python wheel',
  async run(folder, release, { url, newToken }) {
    const [packages, environment] = [join(folder, 'packages'), join(folder, 'environment')];
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input'];
    must(join(clientTools(), 'pip'), ['download', ...quiet, '--dest', packages, artifactPath(release, '.whl')]);
    must('python3', ['-m', 'venv', environment]);
    const wanted = `taskgraph-client==${release.pythonVersion}`;
    const source = ['--no-index', '--find-links', packages];
    must(join(environment, 'bin', 'pip'), ['install', ...quiet, ...source, wanted]);
    const env = { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: await newToken('wheel@example.com') };
    const printed = must(join(environment, 'bin', 'python'), ['-c', PROGRAM], { cwd: folder, env });
    expectEqual('the result of the program', printed.trim(), `${release.pythonVersion} Go live`);
    return 'it adds a node';
  },
};
