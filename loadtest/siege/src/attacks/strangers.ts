// Abuse of accounts and limits: password guesses, password mails, forged client addresses, and
// unwanted grants.
import { send } from '../raw-http.ts';
import { type Attack, addressesOf, breach, count, repeat } from './attack.ts';

const address = addressesOf(80);

/** Guesses other users' passwords from many addresses, with forged addresses in a header too. */
export const guesses: Attack = async (field) => {
  const { plan } = field;
  await repeat(field, 100, async (turn) => {
    const url = plan.urls[turn % plan.urls.length] as string;
    const email = plan.victims[turn % plan.victims.length] as string;
    const headers = { 'x-forwarded-for': `203.0.113.${turn % 250}, 198.51.100.${turn % 250}` };
    const path = turn % 3 === 0 ? '/api/password/forgot' : '/api/login';
    const body = path === '/api/login' ? { email, password: `guess ${turn}` } : { email };
    const { status } = await send({ url, from: address(turn % 20), method: 'POST', path, headers, body });
    count(field, `${path} ${status}`);
    if (path === '/api/login' && status === 200) breach(field, 'a guess opened an account');
  });
};

/** Grants node after node to other users. */
export const gifts: Attack = async (field) => {
  const { plan } = field;
  await repeat(field, 250, async (turn) => {
    const url = plan.urls[turn % plan.urls.length] as string;
    const from = address(1_000 + (turn % 200));
    const { token } = plan.nobodies[turn % plan.nobodies.length] as { token: string };
    const made = await send({ url, from, method: 'POST', path: '/api/node', token, body: { title: 'a gift' } });
    const id = /"id":"([^"]+)"/.exec(made.beginning)?.[1];
    count(field, `node ${made.status}`);
    if (id === undefined) return;
    const email = plan.victims[turn % plan.victims.length];
    const given = await send({
      url,
      from,
      method: 'POST',
      path: '/api/node/access',
      token,
      body: { id, email, level: 3 },
    });
    count(field, `grant ${given.status}`);
  });
};
