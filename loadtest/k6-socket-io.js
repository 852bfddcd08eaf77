// Socket.IO for k6: the frames of engine.io 4 over k6's bare websockets, as far as the load tests need them.
import { WebSocket } from 'k6/websockets';

/** Frames begin with the kinds of both protocols: 4 is a message of engine.io, what follows is Socket.IO's. */
const [OPEN, PING, PONG] = ['0', '2', '3'];
const [CONNECT, EVENT, ACK, CONNECT_ERROR] = ['40', '42', '43', '44'];

/**
 * Connects. `on.connected` is given a connection once the service has said `connected`, `on.refused` the message of a `connect_error`,
 * `on.event` each other event, and `on.closed` is told at the end, however it came.
 */
export function dial(baseUrl, { token, address, on }) {
  const url = `${baseUrl.replace('http', 'ws')}/ext-socket.io/?EIO=4&transport=websocket`;
  const socket = new WebSocket(url, null, { headers: { 'X-Forwarded-For': address } });
  const waiting = {};
  let calls = 0;
  const connection = {
    /** Calls an event; `answered` is given the body of the ack. */
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
