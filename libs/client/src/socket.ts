// Creates the socket of every connection of the SDK. Rule: AUTH3.
import { io, type Socket } from 'socket.io-client';

/** A user's API token, or the public token of a published branch or node. */
export type Credentials = { token: string; publicToken?: never } | { publicToken: string; token?: never };

const SOCKET_PATH = '/ext-socket.io';

/** A socket that is not connected yet. */
export function socketTo(url: string, { token, publicToken }: Credentials): Socket {
  return io(url, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    auth: token === undefined ? { public_token: publicToken } : { api_token: token },
    // Two clients of one program may belong to two users.
    forceNew: true,
    autoConnect: false,
  });
}
