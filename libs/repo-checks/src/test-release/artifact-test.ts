// The contract of the tests of a release's artifacts.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientStack } from '../test-clients/client-test.ts';

/** A release that was built for the tests. */
export interface BuiltRelease {
  /** The folder of the artifacts. */
  readonly folder: string;
  readonly version: string;
  /** The version in the form of PEP 440. */
  readonly pythonVersion: string;
}

/** Installs an artifact into an empty folder and uses it. Throws if a step fails. */
export interface ArtifactTest {
  readonly name: string;
  /** Whether it takes minutes. */
  readonly isSlow?: boolean;
  /** Returns one line about the artifact. */
  run(folder: string, release: BuiltRelease, stack: ClientStack): Promise<string>;
}

/** The path of the only artifact with this ending. */
export function artifactPath({ folder }: BuiltRelease, ending: string): string {
  const names = readdirSync(folder).filter((name) => name.endsWith(ending));
  if (names.length !== 1) throw new Error(`The release has ${names.length} files with the ending ${ending}.`);
  return join(folder, names[0] as string);
}

/** Throws if a text differs. */
export function expectEqual(what: string, got: string, wanted: string): void {
  if (got !== wanted) throw new Error(`${what} differs.\n  wanted: ${wanted}\n  got: ${got}`);
}

/** Throws if a text lacks a part. */
export function expectPart(what: string, text: string, part: string): void {
  if (!text.includes(part)) throw new Error(`${what} lacks ${JSON.stringify(part)}:\n${text.slice(0, 2_000)}`);
}
