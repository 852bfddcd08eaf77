// Unauthenticated requests against other users' accounts: password guesses and password mails from
// many addresses, with forged addresses in a header too.
import { send } from '../raw-http.ts';
import { type Attack, addressesOf, breach, count, repeat } from './attack.ts';

const address = addressesOf(80);

export const anonymousFlood: Attack = async (context) => {
  const { plan } = context;
  await repeat(context, 100, async (turn) => {
    const url = plan.urls[turn % plan.urls.length] as string;
    const email = plan.targetEmails[turn % plan.targetEmails.length] as string;
    const headers = { 'x-forwarded-for': `203.0.113.${turn % 250}, 198.51.100.${turn % 250}` };
    const path = turn % 3 === 0 ? '/api/password/forgot' : '/api/login';
    const body = path === '/api/login' ? { email, password: `guess ${turn}` } : { email };
    const { status } = await send({ url, from: address(turn % 20), method: 'POST', path, headers, body });
    count(context, `${path} ${status}`);
    if (path === '/api/login' && status === 200) breach(context, 'a guess opened an account');
  });
};
