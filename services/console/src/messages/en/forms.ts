// The texts of the forms without an account.
import { count } from '../en.ts';

export const forms = {
  signIn: {
    title: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    submit: 'Sign in',
    hasEnded: 'You are signed out.',
    unsent: (changes: number) =>
      `You are signed out. ${count(changes, 'change was', 'changes were')} discarded without being sent.`,
    isWrong: 'The e-mail or password is wrong.',
    register: 'Create an account',
    forgot: 'Forgot your password?',
    provider: (name: string) => `Sign in with ${name}`,
    /** Why a sign-in with the provider failed, by the code of the service. */
    providerRefusals: {
      unauthorized: 'The provider did not sign you in, or it took too long. Try again.',
      'forbidden.identity':
        'Your e-mail address is already linked to another identity at the provider. Sign in with that identity.',
      'forbidden.email_unverified':
        'The provider has not verified your e-mail address. Verify it there, then try again.',
      'forbidden.registration_off': 'You have no account here. Ask the operator of this service for one.',
      not_found: 'This service does not offer sign-in with a provider.',
      rate_limited: 'Too many attempts to sign in. Wait a moment, then try again.',
      unavailable: 'The provider or the service cannot be reached. Try again in a moment.',
    } as Readonly<Record<string, string>>,
    providerFailed: 'Signing in with the provider failed. Try again.',
  },
  register: {
    title: 'Create an account',
    lead: 'We send you a link. Follow it to choose a password.',
    email: 'E-mail',
    username: 'Name',
    submit: 'Send me the link',
    sent: 'Check your e-mail: the link is valid for 24 hours.',
    off: 'Registration is off. Ask the operator of this service for an account.',
  },
  forgot: {
    title: 'Set a new password',
    lead: 'If there is an account with this address, we send it a link.',
    email: 'E-mail',
    submit: 'Send me the link',
    sent: 'Check your e-mail: the link is valid for an hour.',
    off: 'This service does not send e-mail. Ask its operator for a new password.',
  },
  backToSignIn: 'Back to sign in',
} as const;
