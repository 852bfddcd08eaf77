// The build context of the image: unpacked into an empty folder, where the scripts of its Dockerfile
// assemble and verify the application. The step that exchanges uWebSockets.js needs another network.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { must } from '../check-api/process.ts';
import { type ArtifactTest, artifactPath, expectEqual } from './artifact-test.ts';

export const imageContext: ArtifactTest = {
  name: "image's build context",
  isSlow: true,
  async run(folder, release) {
    const [context, application] = [join(folder, 'context'), join(folder, 'application')];
    mkdirSync(context);
    const archive = artifactPath(release, `taskgraph-image-context-${release.version}.tar.gz`);
    must('tar', ['--extract', '--gzip', '--file', archive, '--directory', context]);
    const step = (name: string) =>
      must(join(context, 'deploy', 'image', `${name}.sh`), [application], { cwd: context });
    for (const name of ['assemble', 'sbom', 'verify']) step(name);
    for (const path of ['services/gateway/package.json', 'docs/api/openapi.json']) {
      const { version, info = { version } } = JSON.parse(readFileSync(join(application, path), 'utf8'));
      expectEqual(`the version in ${path}`, info.version, release.version);
    }
    if (existsSync(join(context, 'README.md'))) throw new Error('The context has files that the image does not need.');
    return 'the scripts of the Dockerfile assemble and verify the application from it';
  },
};
