// The provenance: its subjects, its inputs, and the workflow that built them.
import { expect, test } from 'vitest';
import { baseImages, createProvenance } from './provenance.ts';

const given = {
  version: '1.2.3',
  commit: 'a'.repeat(40),
  isModified: false,
  artifacts: [{ name: 'taskgraph-client-1.2.3.tgz', digest: 'b'.repeat(64) }],
  dependencies: [{ name: 'package-lock.json', digest: { sha256: 'c'.repeat(64) } }],
  tools: { node: 'v20.20.2' },
  epoch: 1_700_000_000,
};
const actions = {
  GITHUB_SERVER_URL: 'https://github.example',
  GITHUB_REPOSITORY: 'owner/name',
  GITHUB_REF: 'refs/tags/v1.2.3',
  GITHUB_WORKFLOW_REF: 'owner/name/.github/workflows/release.yml@refs/tags/v1.2.3',
  GITHUB_RUN_ID: '7',
  GITHUB_RUN_ATTEMPT: '2',
};

test('it is an in-toto statement with the predicate of SLSA', () => {
  expect(createProvenance(given, actions)).toEqual({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'taskgraph-client-1.2.3.tgz', digest: { sha256: 'b'.repeat(64) } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'urn:taskgraph:release:v1',
        externalParameters: {
          version: '1.2.3',
          source: { uri: 'git+https://github.example/owner/name', ref: 'refs/tags/v1.2.3' },
        },
        internalParameters: { node: 'v20.20.2', SOURCE_DATE_EPOCH: 1_700_000_000 },
        resolvedDependencies: [
          { uri: 'git+https://github.example/owner/name@refs/tags/v1.2.3', digest: { gitCommit: 'a'.repeat(40) } },
          { name: 'package-lock.json', digest: { sha256: 'c'.repeat(64) } },
        ],
      },
      runDetails: {
        builder: { id: 'https://github.example/owner/name/.github/workflows/release.yml@refs/tags/v1.2.3' },
        metadata: { invocationId: 'https://github.example/owner/name/actions/runs/7/attempts/2' },
      },
    },
  });
});

test('a build on another machine names no workflow, and says whether files differed from the commit', () => {
  const { predicate } = createProvenance({ ...given, isModified: true }, {});
  expect(predicate.runDetails).toEqual({ builder: { id: 'urn:taskgraph:builder:local' } });
  expect(predicate.buildDefinition.externalParameters).toEqual({
    version: '1.2.3',
    source: { uri: 'git+urn:taskgraph:checkout' },
    isModified: true,
  });
});

test('the images and archives of the Dockerfile are inputs', () => {
  const digest = 'd'.repeat(64);
  const text = `ARG NODE_IMAGE=node:24-slim@sha256:${digest}\nARG UWEBSOCKETS_VERSION=v20.69.0\nARG UWEBSOCKETS_SHA256=${digest}\n`;
  expect(baseImages(text)).toEqual([
    { uri: 'pkg:docker/node@24-slim', digest: { sha256: digest } },
    { uri: 'pkg:github/uNetworking/uWebSockets.js@v20.69.0', digest: { sha256: digest } },
  ]);
  expect(() => baseImages('FROM node\n')).toThrow('names no base image with a digest');
});
