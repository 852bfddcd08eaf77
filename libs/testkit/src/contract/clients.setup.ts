// Fails a test if a gateway sends its clients an answer or push that libs/wire/src/operations does
// not declare.
import { afterAll, afterEach } from 'vitest';
import { takeRecordedFaults } from './client-checks.ts';

function failOnFaults(): void {
  const faults = takeRecordedFaults();
  if (faults.length > 0) throw new Error(faults.join('\n\n'));
}
afterEach(failOnFaults);
afterAll(failOnFaults);
