// The form to sign in. It stays at the address of the reader, who continues there.
import { followLink } from '../history.ts';
import { messages } from '../messages/messages.ts';
import { signIn } from '../session/session-store.ts';
import { Field, FormPage } from './form-page.tsx';
import { useOffers } from './offers.ts';

export function SignInView({ hasEnded }: { readonly hasEnded: boolean }) {
  const { signIn: texts } = messages;
  return (
    <FormPage
      title={texts.title}
      submit={texts.submit}
      {...(hasEnded ? { lead: texts.hasEnded } : {})}
      send={async ({ email = '', password = '' }) => {
        await signIn({ email, password });
        return null;
      }}
      below={<Links />}
    >
      <Field name="email" label={texts.email} type="email" autoComplete="username" />
      <Field name="password" label={texts.password} type="password" autoComplete="current-password" />
    </FormPage>
  );
}

function Links() {
  const { signIn: texts } = messages;
  const offers = useOffers();
  if (offers === null) return null;
  return (
    <>
      {offers.provider !== null && <a href="/api/oidc/login">{texts.provider(offers.provider.name)}</a>}
      {offers.registration && (
        <a href="/register" onClick={followLink}>
          {texts.register}
        </a>
      )}
      {offers.mail && (
        <a href="/forgot" onClick={followLink}>
          {texts.forgot}
        </a>
      )}
    </>
  );
}
