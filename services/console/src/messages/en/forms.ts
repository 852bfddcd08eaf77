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
