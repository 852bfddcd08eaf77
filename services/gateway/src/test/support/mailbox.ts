// A real SMTP server on this machine that stores its mails.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

export interface Received {
  readonly to: readonly string[];
  readonly text: string;
}

export interface Mailbox {
  readonly url: string;
  readonly mails: readonly Received[];
  close(): Promise<void>;
}

export async function openMailbox(): Promise<Mailbox> {
  const mails: Received[] = [];
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      username === 'sender' && password === 'secret' ? done(null, { user: username }) : done(new Error('wrong')),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push({
          to: envelope.rcptTo.map(({ address }) => address),
          text: decode(Buffer.concat(chunks).toString()),
        });
        done();
      });
    },
  });
  const listening = server.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  const { port } = listening.address() as AddressInfo;
  return {
    url: `smtp://sender:secret@127.0.0.1:${port}`,
    mails,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Takes quoted-printable lines together again. */
function decode(mail: string): string {
  return mail
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** The path and query of the link in a mail. */
export function linkIn({ text }: Received): string {
  const found = /https?:\/\/[^\s/]+(\/\S+)/.exec(text)?.[1];
  if (found === undefined) throw new Error(`there is no link in: ${text}`);
  return found;
}
