// The user that the command line is, and the service: TASKGRAPH_URL and TASKGRAPH_TOKEN before any profile, and profiles in a file that its user alone reads.
import { createHash } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import envPaths from 'env-paths';
import { CliError } from '../failures.ts';

/** The address of a service that was started by `npm start`. */
export const USUAL_URL = 'http://127.0.0.1:8080';
const USUAL_PROFILE = 'default';

export interface Profile {
  readonly url: string;
  readonly token: string;
  /** Null where somebody gave a token instead of signing in. */
  readonly email: string | null;
}

interface Stored {
  readonly current: string;
  readonly profiles: Readonly<Record<string, Profile>>;
}

/** A profile, and the folder of all that is kept about it. */
export interface Account extends Profile {
  /** Null where the environment says it. */
  readonly name: string | null;
  readonly folder: string;
}

const NOTHING: Stored = { current: USUAL_PROFILE, profiles: {} };

/** The environment names the folders of its user's system, such as XDG_CONFIG_HOME. */
export function openProfiles(environment: NodeJS.ProcessEnv, wanted: string | undefined) {
  const paths = envPaths('taskgraph', { suffix: '' });
  const path = join(paths.config, 'profiles.json');

  async function read(): Promise<Stored> {
    const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return NOTHING;
    try {
      return JSON.parse(text) as Stored;
    } catch {
      throw new CliError('failed', `${path} can't be read as JSON.`, 'Delete it, and sign in again: taskgraph login');
    }
  }

  /** A reader never meets half a file, and nobody else ever reads the tokens. */
  async function write(stored: Stored): Promise<void> {
    await mkdir(paths.config, { recursive: true, mode: 0o700 });
    const beside = `${path}.${process.pid}.new`;
    await writeFile(beside, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
    await chmod(beside, 0o600);
    await rename(beside, path);
  }

  const folderOf = (url: string, token: string) =>
    join(paths.data, createHash('sha256').update(`${url}\n${token}`).digest('hex').slice(0, 16));
  const folderAt = ({ url, token }: Profile) => folderOf(URL.canParse(url) ? new URL(url).origin : url, token);
  const accountOf = (profile: Profile, name: string | null) => ({ ...profile, name, folder: folderAt(profile) });

  /** Deletes the copies of a profile that is gone, but for those that profiles which are left have too. */
  async function deleteCopies(gone: Profile, left: Iterable<Profile>): Promise<void> {
    // The release before told folders apart by the whole address.
    const foldersOf = (each: Profile) => [folderAt(each), folderOf(each.url, each.token)];
    const kept = new Set([...left].flatMap(foldersOf));
    for (const folder of foldersOf(gone)) if (!kept.has(folder)) await rm(folder, { recursive: true, force: true });
  }

  /** The profile that is meant, and its name. Throws a CliError where there is none. */
  async function profile(): Promise<Account> {
    const stored = await read();
    const name = nameOf(stored);
    const found = profileIn(stored, name);
    if (found !== undefined) return accountOf(found, name);
    const whole = `There is no profile ${name}, and TASKGRAPH_TOKEN is not set.`;
    throw new CliError('signedOut', whole, 'Sign in: taskgraph login, or taskgraph login --token-stdin');
  }

  const nameOf = ({ current }: Stored) => wanted ?? (environment.TASKGRAPH_PROFILE || current);

  return {
    path,
    list: read,
    /** The account to be used. Throws a CliError where there is none, or where its token is of another service than TASKGRAPH_URL names. */
    async account(): Promise<Account> {
      const { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token } = environment;
      if (token) {
        originOf(url || USUAL_URL);
        return accountOf({ url: url || USUAL_URL, token, email: null }, null);
      }
      const found = await profile();
      if (originOf(url || found.url) === originOf(found.url)) return { ...found, url: url || found.url };
      throw new CliError(
        'signedOut',
        `TASKGRAPH_URL is ${url}, and the profile ${found.name} is of ${found.url}: its token is not sent elsewhere.`,
        `Sign in there: taskgraph login ${url} --profile NAME`,
        'Or set TASKGRAPH_TOKEN to a token of that service, or unset TASKGRAPH_URL.',
      );
    },
    /** The profile itself, at its own service; null where TASKGRAPH_TOKEN comes before it. Throws a CliError where there is none. */
    async profile(): Promise<Account | null> {
      return environment.TASKGRAPH_TOKEN ? null : profile();
    },
    /** Keeps a profile and makes it the current one; gives its name. The copy of the graph of one that had the name is deleted. */
    async keep(kept: Profile): Promise<string> {
      const stored = await read();
      const name = nameOf(stored);
      const before = profileIn(stored, name);
      const profiles = { ...stored.profiles, [name]: kept };
      await write({ current: name, profiles });
      if (before !== undefined) await deleteCopies(before, Object.values(profiles));
      return name;
    },
    /** Makes a profile the current one. */
    async use(name: string): Promise<void> {
      const stored = await read();
      if (profileIn(stored, name) === undefined) {
        throw new CliError('notFound', `There is no profile ${name}.`, 'See those that there are: taskgraph profiles');
      }
      await write({ ...stored, current: name });
    },
    /** Forgets a profile, and the copy of the graph that was kept for it. */
    async forget(gone: Account): Promise<void> {
      const stored = await read();
      const left = Object.entries(stored.profiles).filter(([each]) => each !== gone.name);
      await write({ current: left[0]?.[0] ?? USUAL_PROFILE, profiles: Object.fromEntries(left) });
      await deleteCopies(
        gone,
        left.map(([, each]) => each),
      );
    },
  };
}

/** An object has names of its own, such as `constructor`. */
function profileIn({ profiles }: Stored, name: string): Profile | undefined {
  return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
}

/** A credential belongs to an origin. Throws a CliError where the text is no address of a service. */
export function originOf(url: string): string {
  const { protocol, origin } = URL.canParse(url) ? new URL(url) : { protocol: '', origin: '' };
  if (protocol === 'http:' || protocol === 'https:') return origin;
  throw new CliError('usage', `${url} is no address.`, `Write it whole, such as ${USUAL_URL}`);
}

export type Profiles = ReturnType<typeof openProfiles>;
