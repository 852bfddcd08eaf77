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
      // The mode lets no other user of this machine read it.
      await writeFile(path, archive, { mode: 0o600 });
      const value = { path, bytes: archive.length, files: files.map(({ name }) => name) };
      context.show(globalOptions(), value, () => [`${path}: ${files.length} files, ${archive.length} bytes`]);
    });
}

async function filesOf(context: Context): Promise<ArchiveFile[]> {
  const { ok: _ok, trace_id: _trace, ...status } = await context.request<ServiceStatus>('GET', '/api/admin/status');
  const { version, limits } = await context.request<Capabilities>('GET', '/api/capabilities');
  const details: ArchiveFile[] = [];
  const silent: string[] = [];
  for (const service of status.services) {
    const found = await detailsOf(context, service.process);
    const name = `services/${fileName(`${service.kind}-${service.name}`)}-${service.process.slice(-6)}`;
    if (found === null) {
      silent.push(name);
      continue;
    }
    const { settings, metrics, truncated } = found;
    details.push(jsonFile(`${name}.json`, { process: service.process, settings, truncated }));
    details.push({ name: `${name}.metrics.txt`, content: metrics });
  }
  return [
    jsonFile('bundle.json', { createdTime: new Date().toISOString(), version, silent }),
    jsonFile('limits.json', limits),
    jsonFile('status.json', status),
    jsonFile('webhooks.json', await webhooksOf(context)),
    ...details,
  ];
}

/** Null if the process has ended since. */
async function detailsOf(context: Context, process: string): Promise<ServiceDetails | null> {
  try {
    return await context.request<ServiceDetails>('GET', '/api/admin/service', { process });
  } catch (error) {
    if (error instanceof TaskgraphError && error.code === 'not_found') return null;
    throw error;
  }
}

/** Without the e-mails of their users. */
async function webhooksOf(context: Context) {
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
