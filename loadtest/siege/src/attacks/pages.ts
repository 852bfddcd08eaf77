// The largest pages of the API, more often than the limits allow.
import { send } from '../raw-http.ts';
import { type Attack, addressesOf, breach, count, repeat } from './attack.ts';

const address = addressesOf(70);

export const pages: Attack = async (context) => {
  const { plan } = context;
  const paths = [
    '/api/graph?limit=5000',
    '/api/history?limit=1000',
    '/api/trash?limit=1000',
    '/api/graph?limit=5000&offset=400',
  ];
  await Promise.all(
    plan.largeNodeOwners.map((nodeOwner, index) =>
      repeat(context, 400, async (turn) => {
        const url = plan.urls[(turn + index) % plan.urls.length] as string;
        const path = paths[turn % paths.length] as string;
        const { status, beginning } = await send({
          url,
          from: address(index),
          method: 'GET',
          path,
          token: nodeOwner.token,
        });
        count(context, status);
        if (status === 500) breach(context, `${path}: ${beginning.slice(0, 200)}`);
      }),
    ),
  );
};
