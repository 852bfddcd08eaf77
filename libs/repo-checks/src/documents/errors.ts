// Creates docs/errors.md from the table of error codes.

import { ERRORS } from '@taskgraph/wire/error-codes';
import { detailsOf } from '@taskgraph/wire/error-details';

const HEAD = `# Errors

Every error code of the service, with its HTTP status over REST, its meaning and its remedy.
[interface.md](interface.md#errors) describes the body of an error. A newer service may send codes
that your client does not know. The first part of such a code determines its kind and status.

\`details\` names the cause of the refusal, as far as it is visible to the caller. The table shows
optional names in brackets. Several codes share these names:

- \`index\`: in a batch of operations, the operation that was refused
- \`hidden: true\`: a cause that is not visible to the caller
- \`needed\`: the level that the call requires on the node \`id\`
- \`level\`: the caller's own level
- \`branch\`: the call requires a level on the branch
- \`most\`: a limit

\`npm run docs:generate\` writes this file from \`libs/wire/src/error-codes.ts\`.

| Code | Status | Meaning | Details | Remedy |
|---|---|---|---|---|
`;

/** The document. */
export function errorsDocument(): string {
  const rows = Object.entries(ERRORS).map(
    ([code, { status, meaning, remedy }]) =>
      `| \`${code}\` | ${status} | ${meaning} | ${detailsIn(code)} | ${remedy} |\n`,
  );
  return HEAD + rows.join('');
}

function detailsIn(code: string): string {
  const { always, sometimes } = detailsOf(code);
  const names = always.map((name) => `\`${name}\``);
  return [...names, ...sometimes.map((name) => `(\`${name}\`)`)].join(' ');
}
