// The account of the command line. TASKGRAPH_URL and TASKGRAPH_TOKEN override profiles. Profiles
// are stored in a file that only its user can read.
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { CliError } from '../failures.ts';

/** The address of a service started with `npm start`. */
export const DEFAULT_URL = 'http://127.0.0.1:8080';
const DEFAULT_PROFILE = 'default';

export interface Profile {
  readonly url: string;
  readonly token: string;
  /** Null if the account comes from a token in the environment. */
  readonly email: string | null;
}

interface ProfileFile {
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** A profile with the folder of its data. */
export interface Account extends Profile {
  /** Null if the account comes from the environment. */
  readonly name: string | null;
  readonly folder: string;
}

const EMPTY_FILE: ProfileFile = { current: DEFAULT_PROFILE, profiles: {} };

/** The folders follow the system's conventions, such as XDG_CONFIG_HOME. */
export function createProfiles(environment: NodeJS.ProcessEnv, selected: string | undefined) {
  const paths = envPaths('taskgraph', { suffix: '' });
  const path = join(paths.config, 'profiles.json');

  async function read(): Promise<ProfileFile> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return EMPTY_FILE;
    try {
      return JSON.parse(text) as ProfileFile;
    } catch {
      throw new CliError('failed', `${path} can't be read as JSON.`, 'Delete it, and sign in again: taskgraph login');
    }
  }

  /** Replaces the file atomically. Only its user can read it. */
  async function write(stored: ProfileFile): Promise<void> {
    await mkdir(paths.config, { recursive: true, mode: 0o700 });
    const temporary = `${path}.${process.pid}.new`;
    await writeFile(temporary, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
    await chmod(temporary, 0o600);
    await rename(temporary, path);
  }

  const folderOf = (url: string, token: string) =>
    join(paths.data, createHash('sha256').update(`${url}\n${token}`).digest('hex').slice(0, 16));
  const folderAt = ({ url, token }: Profile) => folderOf(URL.canParse(url) ? new URL(url).origin : url, token);
  const accountOf = (profile: Profile, name: string | null) => ({ ...profile, name, folder: folderAt(profile) });

  /** Deletes the local copies of a removed profile, unless a remaining profile uses them too. */
  async function deleteCopies(removed: Profile, remaining: Iterable<Profile>): Promise<void> {
    // The previous release named folders by the whole address.
    const foldersOf = (each: Profile) => [folderAt(each), folderOf(each.url, each.token)];
    const used = new Set([...remaining].flatMap(foldersOf));
    for (const folder of foldersOf(removed)) if (!used.has(folder)) await rm(folder, { recursive: true, force: true });
  }

  /** The selected profile. Throws a CliError if there is none. */
  async function profile(): Promise<Account> {
    const stored = await read();
    const name = nameOf(stored);
    const found = profileIn(stored, name);
    if (found !== undefined) return accountOf(found, name);
    const message = `There is no profile ${name}, and TASKGRAPH_TOKEN is not set.`;
    throw new CliError('signedOut', message, 'Sign in: taskgraph login, or taskgraph login --token-stdin');
  }

  const nameOf = ({ current }: ProfileFile) => selected ?? (environment.TASKGRAPH_PROFILE || current);

  return {
    path,
    list: read,
    /**
     * The account for calls. Throws a CliError if there is none, or if its token belongs to another
     * service than TASKGRAPH_URL.
     */
    async account(): Promise<Account> {
      const { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token } = environment;
      if (token) {
        originOf(url || DEFAULT_URL);
        return accountOf({ url: url || DEFAULT_URL, token, email: null }, null);
      }
      const found = await profile();
      if (originOf(url || found.url) === originOf(found.url)) return { ...found, url: url || found.url };
      throw new CliError(
        'signedOut',
        `TASKGRAPH_URL is ${url}, and the profile ${found.name} belongs to ${found.url}: its token is not sent elsewhere.`,
        `Sign in there: taskgraph login ${url} --profile NAME`,
        'Or set TASKGRAPH_TOKEN to a token of that service, or unset TASKGRAPH_URL.',
      );
    },
    /**
     * The profile with its own service; null if TASKGRAPH_TOKEN overrides it. Throws a CliError if
     * there is none.
     */
    async profile(): Promise<Account | null> {
      return environment.TASKGRAPH_TOKEN ? null : profile();
    },
    /**
     * Saves a profile, makes it current and returns its name. The local copy of a profile that it
     * replaces is deleted.
     */
    async save(saved: Profile): Promise<string> {
      const stored = await read();
      const name = nameOf(stored);
      const before = profileIn(stored, name);
      const profiles = { ...stored.profiles, [name]: saved };
      await write({ current: name, profiles });
      if (before !== undefined) await deleteCopies(before, Object.values(profiles));
      return name;
    },
    /** Makes a profile the current one. */
    async select(name: string): Promise<void> {
      const stored = await read();
      if (profileIn(stored, name) === undefined) {
        throw new CliError('notFound', `There is no profile ${name}.`, 'List the profiles: taskgraph profiles');
      }
      await write({ ...stored, current: name });
    },
    /** Removes a profile and its local copy. */
    async remove(removed: Account): Promise<void> {
      const stored = await read();
      const remaining = Object.entries(stored.profiles).filter(([each]) => each !== removed.name);
      await write({ current: remaining[0]?.[0] ?? DEFAULT_PROFILE, profiles: Object.fromEntries(remaining) });
      await deleteCopies(
        removed,
        remaining.map(([, each]) => each),
      );
    },
  };
}

/** Ignores inherited properties, such as `constructor`. */
function profileIn({ profiles }: ProfileFile, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** The origin of a service, to which tokens belong. Throws a CliError for an invalid address. */
export function originOf(url: string): string {
  const { protocol, origin } = URL.canParse(url) ? new URL(url) : { protocol: '', origin: '' };
  if (protocol === 'http:' || protocol === 'https:') return origin;
  throw new CliError('usage', `${url} is not a valid address.`, `Give the full address, such as ${DEFAULT_URL}`);
}

export type Profiles = ReturnType<typeof createProfiles>;
