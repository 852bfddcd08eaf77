// Gives each test file its own users, also in a shared process.
import { useOtherEmails } from './users.ts';

useOtherEmails();
