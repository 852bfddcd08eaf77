// Fails a test in which a gateway told its clients something that is not as libs/wire/src/operations declares it.
import { afterAll, afterEach } from 'vitest';
import { takeFaults } from './watched-clients.ts';

function tell(): void {
  const told = takeFaults();
  if (told.length > 0) throw new Error(told.join('\n\n'));
}
afterEach(tell);
afterAll(tell);
