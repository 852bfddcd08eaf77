// The page of sockets: all calls and pushes of asyncapi.json, a connection by a token, calls over it, and the pushes that arrive.
/* global io */
import { block, element, fields, json, markdown, resolve, search } from './reference.js';

/** Pushes that are kept on the page; the oldest go. */
const MOST_PUSHES = 200;
const CALL_LIMIT_MS = 20_000;

const byId = (id) => document.querySelector(`#${id}`);
const state = byId('state');
let socket = null;

function tell(text) {
  state.textContent = text;
  byId('connect').disabled = socket !== null;
  byId('disconnect').disabled = socket === null;
}

function close(text) {
  socket?.close();
  socket = null;
  tell(text);
}

byId('connection').addEventListener('submit', (event) => {
  event.preventDefault();
  const token = byId('token').value.trim();
  const auth = byId('public').checked ? { public_token: token } : { api_token: token };
  const opened = io({ path: '/ext-socket.io', transports: ['websocket'], auth, reconnection: false });
  socket = opened;
  tell('Connecting …');
  opened.on('connected', ({ client }) => tell(`Connected, as ${client}.`));
  opened.on('connect_error', (error) => close(`Refused: ${error.message}. ${error.data?.message ?? ''}`));
  opened.on('disconnect', (reason) => {
    if (socket === opened) close(`Closed: ${reason}.`);
  });
  opened.onAny(note);
});
byId('disconnect').addEventListener('click', () => close('Not connected.'));
byId('clear').addEventListener('click', () => byId('pushes').replaceChildren());

function note(event, body) {
  const time = new Date().toLocaleTimeString('en', { hour12: false });
  const head = element('summary', {}, element('time', {}, time), ' ', element('code', {}, event));
  const list = byId('pushes');
  list.prepend(element('li', {}, element('details', { 'data-event': event }, head, element('pre', {}, json(body)))));
  while (list.children.length > MOST_PUSHES) list.lastChild.remove();
}

/** A payload to be edited and sent, and what became of it. */
function tryOut(event, example) {
  const payload = element('textarea', { rows: '6', spellcheck: 'false', 'aria-label': `payload of ${event}` });
  payload.value = json(example);
  const answer = element('pre', { class: 'answer', 'aria-live': 'polite' });
  const button = element('button', { type: 'button' }, 'Call');
  button.addEventListener('click', async () => {
    answer.textContent = 'One moment.';
    try {
      if (socket?.connected !== true) throw new Error('Connect first.');
      answer.textContent = json(await socket.timeout(CALL_LIMIT_MS).emitWithAck(event, JSON.parse(payload.value)));
    } catch (error) {
      answer.textContent = error.message;
    }
  });
  return element('div', { class: 'try' }, payload, button, answer);
}

function callBlock(api, [name, operation]) {
  const [request] = operation.messages.map((message) => resolve(api, message));
  const [ack] = operation.reply.messages.map((message) => resolve(api, message));
  const done = ack.payload.oneOf[0];
  return block(
    { id: name, kind: 'call', title: operation.title, summary: operation.summary, words: operation.description },
    ...markdown(operation.description),
    element('h4', {}, 'Payload'),
    fields(request.payload),
    tryOut(operation.title, request.examples[0].payload),
    element('h4', {}, 'Ack'),
    fields(done),
    element('pre', {}, json(ack.examples[0].payload)),
    ...markdown(ack.description),
  );
}

function pushBlock(api, [name, operation]) {
  const [message] = operation.messages.map((one) => resolve(api, one));
  const shown = (message.examples ?? []).map(({ payload }) => element('pre', {}, json(payload)));
  const about = { id: name, kind: 'push', title: operation.title, summary: operation.summary, words: 'push' };
  return block(about, fields(resolve(api, message.payload)), ...shown);
}

function schemaBlock([name, schema]) {
  const about = {
    id: `schema-${name}`,
    kind: 'schema',
    title: name,
    summary: schema.description ?? '',
    words: 'schema',
  };
  return block(about, fields(schema));
}

function section(title, ...blocks) {
  return element('section', {}, element('h2', {}, title), ...blocks);
}

function draw(api) {
  byId('about').replaceChildren(element('h1', {}, api.info.title), ...markdown(api.info.description));
  const operations = Object.entries(api.operations);
  const calls = operations.filter(([, { action }]) => action === 'receive');
  const sections = api.info.tags
    .map((tag) => resolve(api, tag).name)
    .map((name) => [name, calls.filter(([, { tags }]) => tags.some((tag) => resolve(api, tag).name === name))])
    .filter(([, tagged]) => tagged.length > 0)
    .map(([name, tagged]) => section(name, ...tagged.map((call) => callBlock(api, call))));
  const pushes = operations.filter(([, { action }]) => action === 'send').map((push) => pushBlock(api, push));
  const schemas = Object.entries(api.components.schemas).map(schemaBlock);
  byId('reference').replaceChildren(...sections, section('Pushes', ...pushes), section('Schemas', ...schemas));
}

byId('search').addEventListener('input', ({ target }) => search(byId('reference'), target.value));
/** A link to a block opens it. */
const openLinked = () => {
  const linked = location.hash.length > 1 ? document.getElementById(location.hash.slice(1)) : null;
  if (linked instanceof HTMLDetailsElement) linked.open = true;
};
addEventListener('hashchange', openLinked);

const response = await fetch('/asyncapi.json');
draw(await response.json());
openLinked();
