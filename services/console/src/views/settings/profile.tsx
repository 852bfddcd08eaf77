// The reader's name and e-mail. The service has no call to change them.

import { followLink } from '../../history.ts';
import { settings as texts } from '../../messages/texts/settings.ts';
import { pathOf } from '../../routes.ts';
import { ownAccount, useAccountRead } from './own-account.ts';
import { Read, Section } from './section.tsx';

export function Profile() {
  const reading = useAccountRead(ownAccount.me);
  return (
    <Section title={texts.profile}>
      <Read reading={reading}>
        {({ username, email, admin }) => (
          <>
            <dl className="fields">
              <div>
                <dt>{texts.username}</dt>
                <dd dir="auto">{username}</dd>
              </div>
              <div>
                <dt>{texts.email}</dt>
                <dd dir="auto">{email}</dd>
              </div>
            </dl>
            <p className="quiet">{texts.fixed}</p>
            {admin && (
              <p>
                {texts.admin}{' '}
                <a href={pathOf({ view: 'users' })} onClick={followLink}>
                  {texts.users}
                </a>
              </p>
            )}
          </>
        )}
      </Read>
    </Section>
  );
}
