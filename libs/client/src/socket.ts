// Creates the socket of every connection of the SDK. Rule: AUTH3.
import { io, type Socket } from 'socket.io-client';

/**
 * A user's API token, the public token of a published branch or node, or the session of a browser:
 * its cookie, which no script can read.
 */
export type Credentials =
  | { token: string; publicToken?: never; session?: never }
  | { publicToken: string; token?: never; session?: never }
  | { session: true; token?: never; publicToken?: never };

const SOCKET_PATH = '/ext-socket.io';

/** A socket that is not connected yet. */
export function socketTo(url: string, credentials: Credentials): Socket {
  return io(url, {
    path: SOCKET_PATH,
    transports: ['websocket'],
    auth: authOf(credentials),
    // Two clients of one program may belong to two users.
    forceNew: true,
    autoConnect: false,
  });
}

function authOf({ token, publicToken }: Credentials): Record<string, string> {
  if (token !== undefined) return { api_token: token };
  return publicToken === undefined ? {} : { public_token: publicToken };
}
