// The form that changes the password.
import { type FormEvent, useState } from 'react';
import { settings as texts } from '../../messages/texts/settings.ts';
import { note } from '../../session/notices.ts';
import { Field } from '../forms/form-page.tsx';
import { accountRefusal, ownAccount } from './own-account.ts';
import { Section } from './section.tsx';

export function PasswordForm() {
  const [isSending, setIsSending] = useState(false);
  const change = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isSending) return;
    const form = event.currentTarget;
    const fields = new FormData(form);
    const [current, password, repeat] = ['current', 'password', 'repeat'].map((name) => String(fields.get(name)));
    if (current === undefined || password === undefined) return;
    if (password !== repeat) return note('refused', texts.different);
    setIsSending(true);
    ownAccount
      .changePassword({ current, password, endTokens: fields.has('endTokens') })
      .then(() => {
        form.reset();
        note('done', texts.passwordChanged);
      })
      .catch((error: unknown) => note('refused', accountRefusal(error)))
      .finally(() => setIsSending(false));
  };
  return (
    <Section title={texts.password} lead={texts.passwordLead}>
      <form className="stack" onSubmit={change}>
        <Field name="current" label={texts.current} type="password" autoComplete="current-password" />
        <Field name="password" label={texts.next} type="password" autoComplete="new-password" />
        <p className="quiet">{texts.nextHelp}</p>
        <Field name="repeat" label={texts.repeat} type="password" autoComplete="new-password" />
        <label className="check">
          <input type="checkbox" name="endTokens" />
          {texts.endTokens}
        </label>
        <button type="submit" aria-disabled={isSending}>
          {texts.changePassword}
        </button>
      </form>
    </Section>
  );
}
