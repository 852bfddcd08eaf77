// admin bundle: an archive for support, without secrets and without what users write. Rule: ADMIN7.
//
// It has only answers of the calls of administrators, and of these neither e-mails nor user names.
import { writeFile } from 'node:fs/promises';
import {
  type Capabilities,
  type ServiceDetails,
  type ServiceStatus,
  TaskgraphError,
  type UserWebhooks,
} from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { type ArchiveFile, writeArchive } from '../service/archive-writer.ts';

/** The webhooks of a bundle; further ones are left out, and the file says so. */
const MAXIMUM_WEBHOOKS = 10_000;
const PAGE = 1_000;
const NAME_LENGTH = 60;

export function addBundle(admin: Command, context: Context, globalOptions: () => GlobalOptions): void {
  admin
    .command('bundle')
    .description('write an archive for support: versions, settings without secrets, metrics, leases, queues, webhooks')
    .option('--output <file>', 'the file; without it, taskgraph-bundle and the time')
    .action(async ({ output: path = defaultName() }: { readonly output?: string }) => {
      const files = await filesOf(context);
      const archive = writeArchive(files);
      await writeNew(path, archive);
      const value = { path, bytes: archive.length, files: files.map(({ name }) => name) };
      context.show(globalOptions(), value, () => [`${path}: ${files.length} files, ${archive.length} bytes`]);
    });
}

/** Writes a file that no other user of this machine may read. An existing one would retain its mode. */
async function writeNew(path: string, content: Uint8Array): Promise<void> {
  try {
    await writeFile(path, content, { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new CliError('usage', `${path} exists.`, 'Choose another file with --output.');
  }
}

/** A failed call leaves out its part: a bundle is needed most while something fails. */
export async function filesOf(context: Pick<Context, 'request'>): Promise<ArchiveFile[]> {
  /** The code of the error of each part that could not be read. */
  const failed: Record<string, string> = {};
  const files: ArchiveFile[] = [];
  async function read<T extends object>(part: string, answer: Promise<T>): Promise<T | null> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof TaskgraphError) || isFinal(error)) throw error;
      failed[part] = error.code;
      return null;
    }
  }
  const status = await read('status.json', context.request<ServiceStatus>('GET', '/api/admin/status'));
  const general = await read('limits.json', context.request<Capabilities>('GET', '/api/capabilities'));
  const webhooks = await read('webhooks.json', webhooksOf(context));
  if (general !== null) files.push(jsonFile('limits.json', general.limits));
  if (status !== null) {
    const { services, leases, truncated } = status;
    files.push(jsonFile('status.json', { services, leases, truncated }));
  }
  if (webhooks !== null) files.push(jsonFile('webhooks.json', webhooks));
  for (const { kind, name: shown, process } of status?.services ?? []) {
    const name = `services/${fileName(`${kind}-${shown}`)}-${process.slice(-6)}`;
    const found = await read(name, context.request<ServiceDetails>('GET', '/api/admin/service', { process }));
    if (found === null) continue;
    const { settings, metrics, truncated } = found;
    files.push(jsonFile(`${name}.json`, { process, settings, truncated }));
    files.push({ name: `${name}.metrics.txt`, content: metrics });
  }
  const { version = null } = general ?? {};
  return [jsonFile('bundle.json', { createdTime: new Date().toISOString(), version, failed }), ...files];
}

/** Whether all other calls would fail too. */
function isFinal({ code }: TaskgraphError): boolean {
  return /^(unauthorized|forbidden|client\.)/.test(code);
}

/** Without the e-mails of their users. */
async function webhooksOf(context: Pick<Context, 'request'>) {
  const hooks: object[] = [];
  let after: string | null | undefined;
  do {
    const page: UserWebhooks = await context.request('GET', '/api/admin/hooks', { limit: PAGE, after });
    hooks.push(...page.hooks.map(({ user, ...hook }) => ({ ...hook, user: user.id })));
    after = page.next;
  } while (after !== null && hooks.length < MAXIMUM_WEBHOOKS);
  return { hooks, truncated: after !== null };
}

function jsonFile(name: string, content: object): ArchiveFile {
  return { name, content: `${JSON.stringify(content, null, 2)}\n` };
}

function fileName(text: string): string {
  return text.slice(0, NAME_LENGTH).replaceAll(/[^A-Za-z0-9.-]/g, '_');
}

function defaultName(): string {
  return `taskgraph-bundle-${new Date().toISOString().slice(0, 19).replaceAll(':', '')}.zip`;
}
