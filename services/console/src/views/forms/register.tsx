// The form to register: the service mails a link, on whose page the reader chooses a password.
import { rest } from '@taskgraph/client';
import { followLink } from '../../history.ts';
import { forms } from '../../messages/texts/forms.ts';
import { Field, FormPage } from './form-page.tsx';
import { OffPage } from './off-page.tsx';
import { useOffers } from './offers.ts';

export function RegisterView() {
  const { register: texts } = forms;
  const offers = useOffers();
  if (offers?.registration === false) return <OffPage title={texts.title} reason={texts.off} />;
  return (
    <FormPage
      title={texts.title}
      lead={texts.lead}
      submit={texts.submit}
      send={async ({ email, username }) => {
        const body = { email, username };
        await rest({ url: location.origin, session: true }).request('POST', '/api/register', { body });
        return texts.sent;
      }}
      below={
        <a href="/signin" onClick={followLink}>
          {forms.backToSignIn}
        </a>
      }
    >
      <Field name="email" label={texts.email} type="email" autoComplete="email" />
      <Field name="username" label={texts.username} type="text" autoComplete="nickname" maxLength={100} />
    </FormPage>
  );
}
