// The provenance of the artifacts: an in-toto statement with the predicate of SLSA v1.
// docs/releases.md defines its build type. The workflow of a release signs it.
import type { Artifact } from './checksums.ts';

const STATEMENT_TYPE = 'https://in-toto.io/Statement/v1';
const PREDICATE_TYPE = 'https://slsa.dev/provenance/v1';
const BUILD_TYPE = 'urn:taskgraph:release:v1';
const LOCAL_BUILDER = 'urn:taskgraph:builder:local';
const LOCAL_SOURCE = 'urn:taskgraph:checkout';

/** An input of the build, or the source. */
export interface ResourceDescriptor {
  readonly name?: string;
  readonly uri?: string;
  readonly digest: Readonly<Record<string, string>>;
}

export interface ProvenanceInput {
  readonly version: string;
  readonly commit: string;
  /** Whether files differed from the commit. */
  readonly isModified: boolean;
  readonly artifacts: readonly Artifact[];
  readonly dependencies: readonly ResourceDescriptor[];
  /** Versions of programs, by name. */
  readonly tools: Readonly<Record<string, string>>;
  readonly epoch: number;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The address of the repository in a workflow of GitHub; null elsewhere. */
export function repositoryIn({ GITHUB_SERVER_URL, GITHUB_REPOSITORY }: Environment): string | null {
  return GITHUB_SERVER_URL && GITHUB_REPOSITORY ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : null;
}

export function createProvenance(input: ProvenanceInput, environment: Environment) {
  const { version, commit, isModified, artifacts, dependencies, tools, epoch } = input;
  const uri = `git+${repositoryIn(environment) ?? LOCAL_SOURCE}`;
  const ref = environment.GITHUB_REF;
  return {
    _type: STATEMENT_TYPE,
    subject: artifacts.map(({ name, digest }) => ({ name, digest: { sha256: digest } })),
    predicateType: PREDICATE_TYPE,
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: {
          version,
          source: { uri, ...(ref ? { ref } : null) },
          ...(isModified ? { isModified } : null),
        },
        internalParameters: { ...tools, SOURCE_DATE_EPOCH: epoch },
        resolvedDependencies: [{ uri: ref ? `${uri}@${ref}` : uri, digest: { gitCommit: commit } }, ...dependencies],
      },
      runDetails: runDetails(environment),
    },
  };
}

function runDetails(environment: Environment) {
  const { GITHUB_SERVER_URL: server, GITHUB_WORKFLOW_REF: workflow, GITHUB_RUN_ID: run } = environment;
  const repository = repositoryIn(environment);
  if (repository === null || !workflow || !run) return { builder: { id: LOCAL_BUILDER } };
  const invocationId = `${repository}/actions/runs/${run}/attempts/${environment.GITHUB_RUN_ATTEMPT ?? '1'}`;
  return { builder: { id: `${server}/${workflow}` }, metadata: { invocationId } };
}

/** The image and the archive that the Dockerfile fetches. Throws if it names none. */
export function baseImages(dockerfile: string): ResourceDescriptor[] {
  const [, image, imageDigest] = /^ARG NODE_IMAGE=(\S+)@sha256:([0-9a-f]{64})$/m.exec(dockerfile) ?? [];
  const [, release] = /^ARG UWEBSOCKETS_VERSION=(\S+)$/m.exec(dockerfile) ?? [];
  const [, archiveDigest] = /^ARG UWEBSOCKETS_SHA256=([0-9a-f]{64})$/m.exec(dockerfile) ?? [];
  if (!imageDigest || !archiveDigest) throw new Error('the Dockerfile names no base image with a digest');
  return [
    { uri: `pkg:docker/${image?.replace(':', '@')}`, digest: { sha256: imageDigest } },
    { uri: `pkg:github/uNetworking/uWebSockets.js@${release}`, digest: { sha256: archiveDigest } },
  ];
}
