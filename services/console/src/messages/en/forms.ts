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
      `You are signed out. ${count(changes, 'change was', 'changes were')} not sent, and did not stay on this device.`,
    isWrong: 'The e-mail or the password is wrong.',
    register: 'Create an account',
    forgot: 'I forgot my password',
    provider: (name: string) => `Sign in with ${name}`,
  },
  register: {
    title: 'Create an account',
    lead: 'We mail you a link. There you choose a password.',
    email: 'E-mail',
    username: 'Name',
    submit: 'Mail me the link',
    sent: 'Check your e-mail: the link is valid for 24 hours.',
    off: 'This service has no registration. Ask its operator for an account.',
  },
  forgot: {
    title: 'Set a new password',
    lead: 'If there is an account with this address, we mail it a link.',
    email: 'E-mail',
    submit: 'Mail me the link',
    sent: 'Check your e-mail: the link is valid for an hour.',
    off: 'This service sends no mail. Ask its operator for a new password.',
  },
  backToSignIn: 'Back to sign in',
} as const;
