// Fails a test if a gateway sends its clients an answer or push that libs/wire/src/operations does
// not declare.
import { afterAll, afterEach } from 'vitest';
import { takeRecordedFaults } from './client-checks.ts';

function tell(): void {
  const told = takeRecordedFaults();
  if (told.length > 0) throw new Error(told.join('\n\n'));
}
afterEach(tell);
afterAll(tell);
