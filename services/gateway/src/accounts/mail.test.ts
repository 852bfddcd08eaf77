// Sent mail, received by a real SMTP server on this machine.
import { expect, it } from 'vitest';
import { linkIn, openMailbox } from '../test/support/mailbox.ts';
import { createMailer } from './mail.ts';

const mail = {
  to: 'ann@example.com',
  subject: 'Verify',
  text: `Open\n\nhttps://tasks.example.com/a?token=${'x'.repeat(300)}.y=z`,
};

it('[AUTH1] a long link arrives unchanged, at one address', async () => {
  const mailbox = await openMailbox();
  const send = createMailer({ url: mailbox.url, from: 'tasks@example.com' }, { warn: () => undefined });
  expect(await send(mail)).toBe(null);
  await mailbox.close();
  expect(mailbox.mails.map(({ to }) => to)).toEqual([['ann@example.com']]);
  expect(linkIn(mailbox.mails[0]!)).toBe(`/a?token=${'x'.repeat(300)}.y=z`);
});

it('[AUTH1] if no server accepts a mail, it is refused, and the log names neither people nor passwords', async () => {
  const mailbox = await openMailbox();
  const warnings: unknown[] = [];
  const log = { warn: (...line: unknown[]) => void warnings.push(line) };
  const wrong = createMailer({ url: mailbox.url.replace('secret', 'guessed'), from: 'tasks@example.com' }, log);
  expect(await wrong(mail)).toMatchObject({ code: 'unavailable' });
  await mailbox.close();
  const away = createMailer({ url: mailbox.url, from: 'tasks@example.com' }, log);
  expect(await away(mail)).toMatchObject({ code: 'unavailable' });
  expect(warnings).toHaveLength(2);
  expect(JSON.stringify(warnings)).not.toMatch(/ann@|guessed|secret|token=/);
});
