// Lints the images' build and run files: the Dockerfile with hadolint, the compose file with the
// library of Docker Compose.
import { join } from 'node:path';
import { must, run } from './program.ts';
import { repositoryPath } from './repository.ts';

/** Placeholders for the images of compose.yaml; the proof starts none. */
const VARIABLES = {
  NEO4J_PASSWORD: 'x',
  REDIS_PASSWORD: 'x',
  NATS_GATEWAY_PASSWORD: 'x',
  NATS_WORKER_PASSWORD: 'x',
  NATS_JOBS_PASSWORD: 'x',
  NATS_HOOKS_PASSWORD: 'x',
  NATS_ADMIN_PASSWORD: 'x',
};

const BACKENDS = ['nats', 'neo4j', 'redis'];
const SERVICES = ['gateway', 'hooks', 'jobs', 'migrate', 'worker-1', 'worker-2'];

/** Throws with the linters' findings. Returns the number of services in each compose profile. */
export async function checkImages(compose: string, pythonPrograms: string): Promise<string> {
  const hadolint = join(pythonPrograms, 'hadolint');
  const linted = await run(hadolint, [repositoryPath('deploy', 'image', 'Dockerfile')]);
  if (linted.exitCode !== 0 || linted.stdout !== '')
    throw new Error(`hadolint finds:\n${linted.stdout}${linted.stderr}`);
  await expectServices(compose, '', BACKENDS);
  await expectServices(compose, 'services', [...BACKENDS, ...SERVICES]);
  return `hadolint finds nothing; compose runs ${BACKENDS.length} backends alone, and ${SERVICES.length} services with them`;
}

async function expectServices(compose: string, profile: string, wanted: readonly string[]): Promise<void> {
  const stdout = await must(compose, [repositoryPath('deploy', 'compose.yaml'), profile], { env: VARIABLES });
  const found = (JSON.parse(stdout) as string[]).sort();
  if (found.join() !== [...wanted].sort().join()) throw new Error(`profile "${profile}" of compose.yaml runs ${found}`);
}
