// Makes docs/errors.md from the table of error codes.

import { ERRORS } from '@taskgraph/wire/error-codes';

const HEAD = `# Errors

Every code that the service answers, its HTTP status over REST, when it is answered, and how to get further.
[interface.md](interface.md#errors) shows the body around it. A client of an earlier release may meet codes that it does not know: the first
part tells the status and the kind of each.

\`npm run docs:generate\` writes this file from \`libs/wire/src/error-codes.ts\`.

| Code | Status | Meaning | Remedy |
|---|---|---|---|
`;

/** The document. */
export function errorsDocument(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, meaning, remedy }]) => `| \`${code}\` | ${status} | ${meaning} | ${remedy} |\n`,
  );
  return HEAD + rows.join('');
}
