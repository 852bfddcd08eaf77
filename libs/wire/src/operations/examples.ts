// The ids and texts of examples. A test replaces them by those of a real run, makes each call, and
// records the answer in docs/api/examples.json under these names.

/** Each id has its own first digits, so that they are easy to distinguish. */
export const EXAMPLE = {
  ann: '01985f0d-2c00-7a11-8f2e-5b7c9d013e42',
  node: '01985f0e-3d10-7a11-9c4a-6e8f0a124b53',
  other: '01985f0f-4e20-7a11-8d5b-7f901b235c64',
  link: '01985f10-5f30-7a11-9e6c-80a12c346d75',
  batch: '01985f11-6040-7a11-8f7d-91b23d457e86',
  tokenId: '01985f12-7150-7a11-9a8e-a2c34e568f97',
  bot: '01985f14-9370-7a11-8c0f-b3d45f6790a8',
  claim: '01985f16-b590-7a11-8e31-d2f56189b2ca',
  calendar: '01985f15-a480-7a11-8d20-c4e56078a1b9',
  hook: '01985f16-b590-7a11-8e31-d5f67189b2ca',
  importSource: '01985f17-c6a0-7a11-8f42-e6a7829ac3db',
  run: '01985f18-d7b0-7a11-9053-f7b893abd4ec',
  process: '01985f19-e8c0-7a11-9164-08c9a4bcde5f',
  hookUrl: 'https://hooks.example.com/taskgraph',
  guest: 'bob@example.com',
  email: 'ann@example.com',
  password: 'correct horse battery staple',
  /** Texts that the service creates. */
  publicToken: 'q3Zc0pVtXw8Hn1sYb6KdRg',
  position: 'eyJyZWFkZXIiOiIwMTk4NWYwZCIsImZlZWRzIjp7fX0.Y2hhbmdlcw',
  mailed: 'eyJlbWFpbCI6ImFubkBleGFtcGxlLmNvbSJ9.bWFpbGVk',
} as const;
