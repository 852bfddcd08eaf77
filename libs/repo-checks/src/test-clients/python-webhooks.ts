// Python's library of Standard Webhooks, with messages signed as the service signs them.
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WEBHOOK_SECRET_PREFIX, webhookHeaders } from '@taskgraph/runtime/security/webhook-signature';
import { must } from '../check-api/process.ts';
import { hasPython, PROGRAMS, pythonPrograms } from '../check-api/tools.ts';
import type { ClientTest } from './client-test.ts';

const LIBRARY = 'standardwebhooks==1.1.0';
const BODY = '{"type":"hook.ping","data":{"hook":"Grün ✓"}}';

export const pythonWebhooks: ClientTest = {
  name: 'standardwebhooks in Python',
  lacks: () => (hasPython() ? null : 'Python 3'),
  build(folder) {
    pythonPrograms(join(folder, 'installed'), [LIBRARY]);
  },
  async run(folder) {
    const [present, former, other] = [newSecret(), newSecret(), newSecret()];
    const timestamp = Math.floor(Date.now() / 1_000);
    const headers = webhookHeaders({ id: 'msg_1', timestamp, body: BODY }, [present, former]);
    const old = webhookHeaders({ id: 'msg_1', timestamp: timestamp - 3_600, body: BODY }, [present]);
    const cases = [
      { name: 'the present secret', secret: present, body: BODY, headers, valid: true },
      { name: 'the former secret', secret: former, body: BODY, headers, valid: true },
      { name: 'another secret', secret: other, body: BODY, headers, valid: false },
      { name: 'another body', secret: present, body: `${BODY} `, headers, valid: false },
      { name: 'another id', secret: present, body: BODY, headers: { ...headers, 'webhook-id': 'x' }, valid: false },
      { name: 'an old message', secret: present, body: BODY, headers: old, valid: false },
    ];
    const file = join(folder, 'cases.json');
    writeFileSync(file, JSON.stringify(cases));
    const program = join(PROGRAMS, 'python', 'verify_webhooks.py');
    const printed = must(join(folder, 'installed', 'bin', 'python'), [program, file]).trim();
    if (printed !== `${cases.length} cases`) throw new Error(`The program printed another result: ${printed}`);
    return `accepts and rejects ${cases.length} messages as it should`;
  },
};

function newSecret(): string {
  return WEBHOOK_SECRET_PREFIX + randomBytes(32).toString('base64');
}
