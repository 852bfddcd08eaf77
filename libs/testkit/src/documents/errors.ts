// Makes docs/errors.md from the table of error codes.

import { ERRORS } from '@taskgraph/wire/error-codes';
import { detailsOf } from '@taskgraph/wire/error-details';

const HEAD = `# Errors

Every code that the service answers, its HTTP status over REST, when it is answered, and how to get further.
[interface.md](interface.md#errors) shows the body around it. A client of an earlier release may meet codes that it does not know: the first
part tells the status and the kind of each.

\`details\` name what stands in the way, as far as the caller sees it; in brackets are those that are not always there. In a batch of operations \`index\` says
which of them was refused. \`hidden: true\` stands for what the caller does not see, \`needed\` for the level that it takes on the node \`id\` and \`level\` for
the caller's own, \`branch\` for a level on the branch, and \`most\` for a bound.

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
