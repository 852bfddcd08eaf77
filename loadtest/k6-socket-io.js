// Socket.IO for k6: Engine.IO 4 packets over k6's WebSockets, as far as the load tests need them.
import { WebSocket } from 'k6/websockets';

/** Packet types of both protocols: 4 is an Engine.IO message, the next digit Socket.IO's type. */
const [OPEN, PING, PONG] = ['0', '2', '3'];
const [CONNECT, EVENT, ACK, CONNECT_ERROR] = ['40', '42', '43', '44'];

/**
 * Connects. `on.connected` receives the connection after the service's event `connected`,
 * `on.refused` the message of a `connect_error`, and `on.event` each other event. `on.closed` is
 * called at the end in any case.
 */
export function dial(baseUrl, { token, address, on }) {
  const url = `${baseUrl.replace('http', 'ws')}/ext-socket.io/?EIO=4&transport=websocket`;
  const socket = new WebSocket(url, null, { headers: { 'X-Forwarded-For': address } });
  const waiting = {};
  let calls = 0;
  const connection = {
    /** Calls an event; `answered` receives the body of the ack. */
    call(event, payload, answered) {
      const id = calls++;
      waiting[id] = answered;
      socket.send(`${EVENT}${id}${JSON.stringify([event, payload])}`);
    },
    close: () => socket.close(),
  };
  const take = (text) => {
    if (text === PING) return socket.send(PONG);
    if (text.startsWith(OPEN)) return socket.send(`${CONNECT}${JSON.stringify({ api_token: token })}`);
    if (text.startsWith(CONNECT_ERROR)) return on.refused(JSON.parse(text.slice(2)).message, connection);
    const [, kind, id, body] = /^(4\d)(\d*)(\[.*)$/s.exec(text) ?? [];
    if (kind === ACK) {
      const answered = waiting[id];
      delete waiting[id];
      return answered(JSON.parse(body)[0]);
    }
    if (kind !== EVENT) return undefined;
    const [event, payload] = JSON.parse(body);
    return event === 'connected' ? on.connected(connection) : on.event?.(event, payload);
  };
  socket.onmessage = ({ data }) => take(data);
  socket.onerror = () => on.broken?.();
  socket.onclose = () => on.closed?.();
}
