// The form for a forgotten password: the service mails a link to set a new one.
import { forgotPassword } from '@taskgraph/client';
import { followLink } from '../../history.ts';
import { forms } from '../../messages/texts/forms.ts';
import { Field, FormPage } from './form-page.tsx';
import { OffPage } from './off-page.tsx';
import { useOffers } from './offers.ts';

export function ForgotView() {
  const { forgot: texts } = forms;
  const offers = useOffers();
  if (offers?.mail === false) return <OffPage title={texts.title} reason={texts.off} />;
  return (
    <FormPage
      title={texts.title}
      lead={texts.lead}
      submit={texts.submit}
      send={async ({ email = '' }) => {
        await forgotPassword({ url: location.origin, email });
        return texts.sent;
      }}
      below={
        <a href="/signin" onClick={followLink}>
          {forms.backToSignIn}
        </a>
      }
    >
      <Field name="email" label={texts.email} type="email" autoComplete="username" />
    </FormPage>
  );
}
