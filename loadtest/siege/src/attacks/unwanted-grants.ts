// A user who grants node after node to other users.
import { send } from '../raw-http.ts';
import { type Attack, addressesOf, count, repeat } from './attack.ts';

const address = addressesOf(80);

export const unwantedGrants: Attack = async (context) => {
  const { plan } = context;
  await repeat(context, 250, async (turn) => {
    const url = plan.urls[turn % plan.urls.length] as string;
    const from = address(1_000 + (turn % 200));
    const { token } = plan.plainUsers[turn % plan.plainUsers.length] as { token: string };
    const made = await send({ url, from, method: 'POST', path: '/api/node', token, body: { title: 'a gift' } });
    const id = /"id":"([^"]+)"/.exec(made.beginning)?.[1];
    count(context, `node ${made.status}`);
    if (id === undefined) return;
    const email = plan.targetEmails[turn % plan.targetEmails.length];
    const given = await send({
      url,
      from,
      method: 'POST',
      path: '/api/node/access',
      token,
      body: { id, email, level: 3 },
    });
    count(context, `grant ${given.status}`);
  });
};
