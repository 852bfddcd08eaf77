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
  const nameOf = ({ current }: Stored) => wanted ?? environment.TASKGRAPH_PROFILE ?? current;

  return {
    path,
    list: read,
    /** The account to be used. Throws a CliError where there is none. */
    async account(): Promise<Account> {
      const stored = await read();
      const { TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token } = environment;
      const name = nameOf(stored);
      const profile = stored.profiles[name];
      if (token) {
        const at = url || USUAL_URL;
        return { name: null, url: at, token, email: null, folder: folderOf(at, token) };
      }
      if (profile === undefined) {
        const whole = `There is no profile ${name}, and TASKGRAPH_TOKEN is not set.`;
        throw new CliError('signedOut', whole, 'Sign in: taskgraph login, or taskgraph login --token-stdin');
      }
      const at = url || profile.url;
      return { ...profile, name, url: at, folder: folderOf(at, profile.token) };
    },
    /** Keeps a profile and makes it the current one; gives its name. */
    async keep(profile: Profile): Promise<string> {
      const stored = await read();
      const name = nameOf(stored);
      await write({ current: name, profiles: { ...stored.profiles, [name]: profile } });
      return name;
    },
    /** Makes a profile the current one. */
    async use(name: string): Promise<void> {
      const stored = await read();
      if (stored.profiles[name] === undefined) {
        throw new CliError('notFound', `There is no profile ${name}.`, 'See those that there are: taskgraph profiles');
      }
      await write({ ...stored, current: name });
    },
    /** Forgets a profile, and the copy of the graph that was kept for it. */
    async forget({ name, folder }: Account): Promise<void> {
      const stored = await read();
      const left = Object.entries(stored.profiles).filter(([each]) => each !== name);
      await write({ current: left[0]?.[0] ?? USUAL_PROFILE, profiles: Object.fromEntries(left) });
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export type Profiles = ReturnType<typeof openProfiles>;
