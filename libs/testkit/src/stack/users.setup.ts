// Gives each file of tests users of its own, also where it runs in the process of another.
import { useOtherEmails } from './users.ts';

useOtherEmails();
