// login, logout, whoami and profiles: the account that the command line uses.
import { hostname } from 'node:os';
import { createInterface } from 'node:readline';
import { rest, signIn } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, GlobalOptions } from '../context.ts';
import { CliError } from '../failures.ts';
import { tableOf } from '../output/table.ts';
import { DEFAULT_URL, originOf } from '../service/profiles.ts';

interface CurrentUser {
  readonly user: { readonly email: string; readonly username: string };
}

interface LoginOptions {
  readonly email?: string;
  readonly tokenStdin?: boolean;
  readonly passwordStdin?: boolean;
}

export function addAccountCommands(program: Command, context: Context, globalOptions: () => GlobalOptions): void {
  const { output, profiles } = context;
  program
    .command('login')
    .description('sign in to a service, by e-mail and password or with a token')
    .argument('[url]', 'the address of the service', process.env.TASKGRAPH_URL || DEFAULT_URL)
    .option('--email <email>', 'the e-mail address; without it the command asks')
    .option('--password-stdin', 'read the password from standard input')
    .option('--token-stdin', 'read a token from standard input, such as the one that `npm start` prints')
    .action(async (url: string, options: LoginOptions) => {
      originOf(url);
      const token = options.tokenStdin ? await askSecret('token: ') : await createSession(url, options);
      const { user } = await rest({ url, token }).request<CurrentUser>('GET', '/api/me');
      const name = await profiles.save({ url, token, email: user.email });
      const text = `signed in to ${url} as ${user.username} <${user.email}> from ${hostname()}, profile ${name}`;
      context.show(globalOptions(), { profile: name, url, ...user }, () => [text]);
    });
  program
    .command('logout')
    .description('end the session, and delete the profile and its copy of the graph')
    .action(async () => {
      const account = await profiles.profile();
      if (account === null) {
        const remedy = 'Unset TASKGRAPH_TOKEN. To revoke the token itself, use the page /docs or the API.';
        throw new CliError('usage', 'The token comes from the environment, not from a profile.', remedy);
      }
      // Logout fails for a token that is not a session, or an ended one. Neither is an error.
      const { url, token, name } = account;
      const ended = await rest({ url, token })
        .request('POST', '/api/logout')
        .then(
          () => true,
          () => false,
        );
      await profiles.remove(account);
      const result = ended ? 'signed out' : 'profile deleted; the token remains valid until it is revoked';
      context.show(globalOptions(), { profile: name, ended }, () => [`${name}: ${result}`]);
    });
  program
    .command('whoami')
    .description('show the signed-in user and the service')
    .action(async () => {
      const { url } = await context.account();
      const { user } = await context.request<CurrentUser>('GET', '/api/me');
      context.show(globalOptions(), { url, ...user }, () => [`${user.username} <${user.email}> at ${url}`]);
    });
  program
    .command('profiles')
    .description('list the profiles, or select one')
    .argument('[name]', 'the profile to use from now on')
    .action(async (name: string | undefined) => {
      if (name !== undefined) await profiles.select(name);
      const { current, profiles: all } = await profiles.list();
      const listed = Object.entries(all).map(([each, { url, email }]) => ({
        name: each,
        url,
        email,
        current: each === current,
      }));
      context.show(globalOptions(), listed, () => {
        if (listed.length === 0) return ['There are no profiles: taskgraph login'];
        const rows = listed.map((each) => [each.current ? '*' : '', each.name, each.email ?? '', each.url]);
        return tableOf(rows, {
          heads: ['', 'profile', 'e-mail', 'service'],
          columns: output.columns,
          paintHead: output.paint.bold,
        });
      });
    });
}

/** Signs in by password and returns the session token, which `logout` ends. */
async function createSession(url: string, options: LoginOptions): Promise<string> {
  const email = options.email ?? (await ask('e-mail: '));
  const password = await askSecret('password: ');
  return (await signIn({ url, email, password })).session;
}

function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new CliError(
      'usage',
      'Without a terminal, the command cannot ask for the e-mail address.',
      'Give --email, and --password-stdin or --token-stdin.',
    );
  }
  const reader = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) =>
    reader.question(question, (answer) => {
      reader.close();
      resolve(answer.trim());
    }),
  );
}

/** At a terminal, the answer is not echoed. */
async function askSecret(question: string): Promise<string> {
  if (!process.stdin.isTTY) {
    let text = '';
    for await (const part of process.stdin) text += part;
    return text.trim();
  }
  process.stderr.write(question);
  const reader = createInterface({ input: process.stdin, terminal: true });
  return new Promise((resolve) =>
    reader.question('', (answer) => {
      reader.close();
      process.stderr.write('\n');
      resolve(answer.trim());
    }),
  );
}
