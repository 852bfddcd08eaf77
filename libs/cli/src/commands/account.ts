// login, logout, whoami and profiles: who the command line is.
import { hostname } from 'node:os';
import { createInterface } from 'node:readline';
import { rest, signIn } from '@taskgraph/client';
import type { Command } from 'commander';
import type { Context, Shared } from '../context.ts';
import { CliError } from '../failures.ts';
import { tableOf } from '../output/table.ts';
import { originOf, USUAL_URL } from '../service/profiles.ts';

interface Me {
  readonly user: { readonly email: string; readonly username: string };
}

interface LoginOptions {
  readonly email?: string;
  readonly tokenStdin?: boolean;
  readonly passwordStdin?: boolean;
}

export function addAccountCommands(program: Command, context: Context, shared: () => Shared): void {
  const { output, profiles } = context;
  program
    .command('login')
    .description('sign in to a service, by e-mail and password or with a token')
    .argument('[url]', 'the address of the service', process.env.TASKGRAPH_URL || USUAL_URL)
    .option('--email <email>', 'the e-mail address; without it the command asks')
    .option('--password-stdin', 'read the password from standard input')
    .option('--token-stdin', 'read a token from standard input, such as the one that `npm start` prints')
    .action(async (url: string, options: LoginOptions) => {
      originOf(url);
      const token = options.tokenStdin ? await askSecret('token: ') : await signedIn(url, options);
      const { user } = await rest({ url, token }).request<Me>('GET', '/api/me');
      const name = await profiles.keep({ url, token, email: user.email });
      const text = `signed in to ${url} as ${user.username} <${user.email}> from ${hostname()}, profile ${name}`;
      context.show(shared(), { profile: name, url, ...user }, () => [text]);
    });
  program
    .command('logout')
    .description('end the session, and delete the profile and its copy of the graph')
    .action(async () => {
      const account = await profiles.profile();
      if (account === null) {
        const remedy = 'Unset TASKGRAPH_TOKEN; end the token itself on the page /docs or by the API.';
        throw new CliError('usage', 'The token is one of the environment, not of a profile.', remedy);
      }
      // A token that is no session stays what it is; a session that has ended already is gone as wished.
      const { url, token, name } = account;
      const ended = await rest({ url, token })
        .request('POST', '/api/logout')
        .then(
          () => true,
          () => false,
        );
      await profiles.forget(account);
      const left = ended ? 'signed out' : 'forgotten; the token itself goes on until it is revoked';
      context.show(shared(), { profile: name, ended }, () => [`${name}: ${left}`]);
    });
  program
    .command('whoami')
    .description('show the signed-in user and the service')
    .action(async () => {
      const { url } = await context.account();
      const { user } = await context.request<Me>('GET', '/api/me');
      context.show(shared(), { url, ...user }, () => [`${user.username} <${user.email}> at ${url}`]);
    });
  program
    .command('profiles')
    .description('list the profiles, or select one')
    .argument('[name]', 'the profile to use from now on')
    .action(async (name: string | undefined) => {
      if (name !== undefined) await profiles.use(name);
      const { current, profiles: all } = await profiles.list();
      const listed = Object.entries(all).map(([each, { url, email }]) => ({
        name: each,
        url,
        email,
        current: each === current,
      }));
      context.show(shared(), listed, () => {
        if (listed.length === 0) return ['There is none yet: taskgraph login'];
        const rows = listed.map((each) => [each.current ? '*' : '', each.name, each.email ?? '', each.url]);
        return tableOf(rows, {
          heads: ['', 'profile', 'e-mail', 'service'],
          columns: output.columns,
          paintHead: output.paint.bold,
        });
      });
    });
}

/** A session: a token that `logout` ends. */
async function signedIn(url: string, options: LoginOptions): Promise<string> {
  const email = options.email ?? (await ask('e-mail: '));
  const password = await askSecret('password: ');
  return (await signIn({ url, email, password })).session;
}

function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new CliError(
      'usage',
      'There is no terminal to ask at.',
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

/** At a terminal nothing of the answer is shown. */
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
