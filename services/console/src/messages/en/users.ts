// The texts of the administration of users.
import { count } from '../en.ts';

export const users = {
  title: 'Users',
  lead: 'All users of this service. Administrators cannot see their tasks.',
  list: 'Users',
  reading: 'Loading users',
  retry: 'Try again',
  you: 'you',
  administrator: 'administrator',
  disabled: 'disabled',
  botOf: (email: string) => `bot of ${email}`,
  since: (moment: string) => `since ${moment}`,
  disable: 'Disable',
  disableOf: (name: string) => `Disable: ${name}`,
  disableLead: (name: string) =>
    `All sessions of ${name} end. Their API tokens, calendars and webhooks do not work until you enable ${name} again.`,
  disableConfirm: 'Disable now',
  hasDisabled: (name: string) => `Disabled ${name}.`,
  enable: 'Enable',
  enableOf: (name: string) => `Enable: ${name}`,
  enableLead: (name: string) => `${name} can sign in again, and their API tokens, calendars and webhooks work again.`,
  enableConfirm: 'Enable now',
  hasEnabled: (name: string) => `Enabled ${name}.`,
  more: (rows: number) => `Show up to ${count(rows, 'more user', 'more users')}`,
  refusals: {
    forbidden: 'Only administrators can see and change users.',
    not_found: 'This user no longer exists.',
    'conflict.own_account': 'You cannot disable yourself.',
  } as Readonly<Record<string, string>>,
} as const;
