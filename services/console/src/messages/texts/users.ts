// The texts of the administration of users, in the language of the page.
import { translated } from '../../language.ts';
import { users as english } from '../en/users.ts';

export const users = translated('users', english);
