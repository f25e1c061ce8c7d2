// The console: what the node answers, shown and kept up to date.

import * as acts from './acts.js';
import { alerts, noQuorum, problems } from './alerts.js';
import { byId, note, span, time, update } from './dom.js';
import * as hotkeys from './hotkeys.js';
import * as load from './load.js';
import * as lookup from './lookup.js';
import * as nodes from './nodes.js';
import * as partitions from './partitions.js';
import { hasToken, node, poll, sources, useToken } from './poll.js';
import * as work from './work.js';

/** A message stays so long. */
const MESSAGE_MS = 15000;
/** Within this time an unchanged table of partitions is not requested again. */
const PARTITIONS_MS = 60000;
/** Calls that were refused so long ago need no attention. */
const REFUSED_MS = 60000;

let message = '';
let messageUntil = 0;
let announced = '';
let epoch;
/** How many calls the node has refused, and when that number grew last. */
let refused;
let refusedAt = 0;

/** Which panel shows what; the others show the status. */
const PANELS = { nodes: 'status', store: 'status', overload: 'status', shares: 'partitions', load: 'metrics', repair: 'repair', moves: 'members', slow: 'slow' };

const name = () => sources.status.data?.id ?? 'The node';

/** Says something once, to people who look and to those who listen. */
function announce(text) {
  if (text !== announced) {
    announced = text;
    byId('live').textContent = text;
  }
}

function say(text) {
  message = text;
  messageUntil = Date.now() + MESSAGE_MS;
  announce(text);
  render();
}

/** Returns the short state, its kind, and a sentence for the banner if all is not well. */
function state() {
  const { ready, status } = sources;
  if (node.isLost) {
    const since = node.heardAt === 0 ? 'has not answered yet' : 'has not answered for ' + span(Date.now() - node.heardAt);
    const shown = status.data ? ' The page shows what the node said at ' + time(status.at) + ', and goes on by itself when the node is back.' : ' The page asks again every two seconds.';
    return { kind: 'lost', word: 'no answer', banner: name() + ' ' + since + '.' + shown, live: name() + ' has stopped answering.' };
  }
  if (status.state === 'locked') {
    const banner = hasToken() ? 'The node does not know this token.' : 'This node has tokens: give one to see its data. The token stays in this page, and is gone when you close it.';
    return { kind: 'locked', word: 'needs a token', banner, live: banner };
  }
  if (status.state === 'failed' || status.state === 'lost') {
    const why = status.state === 'lost' ? 'It does not answer a request for its status.' : status.problem.detail;
    const age = status.data ? ' The page shows what the node said at ' + time(status.at) + '.' : '';
    return { kind: 'failed', word: 'in trouble', banner: why + age, live: why };
  }
  if (!ready.data || !status.data) { return { kind: 'new', word: 'connecting', live: '' }; }
  if (!ready.data.ready) { return { kind: 'failed', word: 'not ready', banner: name() + ' is ' + ready.data.text + '.', live: name() + ' is not ready.' }; }
  const lost = noQuorum(ready.data);
  // Ready for its probe, and in the colour of a warning.
  if (lost) { return { kind: 'failed', word: 'ready', live: lost + '.' }; }
  return { kind: 'good', word: 'ready', live: name() + ' answers and is ready.' };
}

/** Only an answer to a request that needs the scope admin proves that scope; a cluster of fixed nodes answers 400. */
const isAdmin = () => sources.members.state === 'ok'
  || sources.members.state === 'failed' && sources.members.problem.status !== 401 && sources.members.problem.status !== 403;

function showAccess(kind) {
  const locked = kind === 'locked';
  const isOpen = !hasToken() && sources.status.data !== undefined;
  const focused = document.activeElement;
  byId('token-form').hidden = isOpen || hasToken() && !locked;
  byId('token-state').hidden = byId('token-form').hidden === false;
  byId('forget').hidden = !hasToken();
  byId('scope').textContent = isOpen ? 'No tokens: everyone may do everything'
    : isAdmin() ? 'Token with the scope admin' : 'Token without the scope admin';
  // The focus stays with the token when its field gives way to a button, and the other way round.
  if (focused === byId('forget') && byId('forget').closest('p').hidden) {
    byId('token').focus();
  } else if (byId('token-form').hidden && byId('token-form').contains(focused)) {
    byId('forget').focus();
  }
}

/** Tells by the title of a panel that its data is old. */
function showAges() {
  for (const [id, which] of Object.entries(PANELS)) {
    const source = sources[which];
    const title = byId(id).closest('section').querySelector('h2');
    if (source.data !== undefined && !source.fresh) {
      title.dataset.age = 'as of ' + time(source.at);
    } else {
      delete title.dataset.age;
    }
  }
}

function showData() {
  const status = sources.status.data;
  const members = sources.members.data;
  if (!status) {
    // No data stays behind a token that was taken away.
    ['summary', 'attention', 'nodes', 'load', 'shares', 'repair', 'moves', 'store', 'overload', 'slow'].forEach(id => update(byId(id)));
    byId('partitions-body').hidden = true;
    acts.offer(false);
    return;
  }
  byId('node').textContent = status.id;
  byId('subtitle').textContent = 'dht4j console';
  document.title = status.id + ' · dht4j console';
  const found = problems(status, sources.repair.data, members, Date.now() - refusedAt < REFUSED_MS, sources.ready.data);
  if (node.isLost) { found.unshift({ kind: 'bad', text: status.id + ' has not answered since ' + time(node.heardAt) + ': check that it runs and is reachable.' }); }
  update(byId('attention'), alerts(found));
  byId('attention-panel').dataset.kind = found.some(({ kind }) => kind === 'bad') ? 'bad' : found.length > 0 ? 'warn' : 'good';
  const listed = sources.partitions.data;
  const isWhole = listed && listed.replicas.length === status.partitions;
  const held = isWhole ? partitions.held(listed) : new Map();
  const known = { held, calls: sources.metrics.fresh ? load.calls() : undefined, lostAt: node.isLost ? node.heardAt : undefined, membersAt: sources.members.at };
  update(byId('summary'), nodes.summary(status, members, known));
  update(byId('nodes'), nodes.nodes(status, members, held, load.clocks(), known));
  if (listed) {
    partitions.show(listed, status);
  } else {
    update(byId('partitions-note'), sources.partitions.state === 'forbidden' ? 'Needs a token with the scope read.'
      : sources.partitions.problem?.detail ?? 'Not known yet.');
  }
  update(byId('repair'), work.repair(status, sources.repair.data));
  update(byId('moves'), work.rebalancing(sources.members));
  update(byId('store'), work.store(status));
  update(byId('overload'), work.overload(status));
  // Only a cluster whose nodes may change has atomic maps.
  byId('of-map').hidden = !members && sources.members.state !== 'forbidden';
  update(byId('load'), load.load(sources.metrics));
  update(byId('slow'), load.slow(sources.slow));
  acts.offer(isAdmin() && !node.isLost, members);
  showAges();
}

function render() {
  const now = state();
  byId('state').dataset.state = now.kind;
  byId('state').textContent = now.word;
  const banner = Date.now() < messageUntil && now.kind !== 'lost' ? message : now.banner;
  byId('banner').hidden = !banner;
  byId('banner').textContent = banner ?? '';
  byId('banner').dataset.state = banner === message ? 'message' : now.kind;
  document.body.classList.toggle('stale', now.kind === 'lost' || sources.status.data !== undefined && !sources.status.fresh);
  document.body.classList.toggle('empty', sources.status.data === undefined);
  showAccess(now.kind);
  showData();
  if (Date.now() >= messageUntil && now.live) { announce(now.live); }
  byId('footer').textContent = sources.status.at === 0 ? '' : 'Last answer ' + time(node.heardAt) + '. Asks every two seconds while the page is visible.';
}

function changed(which) {
  if (which === 'metrics' && sources.metrics.fresh) { load.read(sources.metrics.data, sources.metrics.at); }
  if (which === 'partitions' && sources.partitions.fresh) { sources.partitions.next = Date.now() + PARTITIONS_MS; }
  if (which === 'status' && sources.status.fresh) { nodes.observe(sources.status.data, sources.status.at); }
  if (which === 'status' && sources.status.fresh && sources.status.data.epoch !== epoch) {
    epoch = sources.status.data.epoch;
    if (sources.partitions.fresh) { sources.partitions.next = 0; }
  }
  if (which === 'status' && sources.status.fresh) {
    const now = sources.status.data.overload.calls_refused;
    if (now > refused) { refusedAt = Date.now(); }
    refused = now;
  }
  render();
}

partitions.start();
lookup.start(() => sources.status.data);
hotkeys.start();
acts.start(() => ({ status: sources.status.data, members: sources.members.data }), say);
const askNow = poll(changed);

function enter(token) {
  byId('atomic-map').value = '';
  useToken(token);
  load.forget();
  nodes.forget();
  hotkeys.reset();
  update(byId('found'), note('Shows the partition of a key, its replicas and their versions, not the value; of an atomic map also a counter and a lock.'));
  askNow();
}
byId('token-form').addEventListener('submit', event => {
  event.preventDefault();
  const token = byId('token').value.trim();
  byId('token').value = '';
  enter(token);
});
byId('forget').addEventListener('click', () => {
  enter('');
  byId('token').focus();
});
