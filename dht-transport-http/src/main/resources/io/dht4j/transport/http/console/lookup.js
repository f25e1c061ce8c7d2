// A key with its partition, its replicas and its version.

import { ask, problem } from './poll.js';
import { byId, counted, bytes, el, facts, note, table, tag, time, update } from './dom.js';
import { colourOf } from './partitions.js';

/** A read waits for replicas, so it may take longer than what a node knows by itself. */
const READ_TIMEOUT_MS = 15000;
const PHYSICAL_BITS = 16n;

const base64 = octets => btoa(String.fromCharCode(...octets)).replaceAll('+', '-').replaceAll('/', '_');

/** Returns the bytes of a key in Base64 of either alphabet. */
const octetsOf = (key, encoding) => encoding === 'id' ? new TextEncoder().encode(key)
  : Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0));

/** Returns the time in a version, whose upper 48 bits are milliseconds. */
const written = version => time(Number(BigInt(version) >> PHYSICAL_BITS));

async function json(path) {
  const answer = await ask(path);
  if (!answer.ok) { throw new Error((await problem(answer)).detail); }
  return answer.json();
}

/** Reads the key's version from the cluster, without its value. */
async function read(query) {
  const answer = await ask('v0/entity?' + query, { timeout: READ_TIMEOUT_MS });
  if (answer.ok) {
    const found = {
      version: answer.headers.get('Dht-Version'),
      bytes: Number(answer.headers.get('Content-Length')),
      expires: answer.headers.get('Dht-Expires-At'),
    };
    await answer.body?.cancel();
    return found;
  }
  return { problem: answer.status === 404 ? 'absent, deleted or expired' : (await problem(answer)).detail };
}

/** Returns the version of this node's own copy; undefined if it has none, null if the token does not allow to ask. */
async function own(octets) {
  const next = Uint8Array.from([...octets, 0]);
  const query = new URLSearchParams({ scope: 'node', limit: 1, start_base64: base64(octets) });
  if (next.length <= 4096) { query.set('end_base64', base64(next)); }
  const answer = await ask('v0/entities?' + query, { headers: { Accept: 'application/x-ndjson' }, timeout: READ_TIMEOUT_MS });
  if (!answer.ok) { return null; }
  const line = (await answer.text()).trim();
  if (!line) { return undefined; }
  const entry = JSON.parse(line);
  return octetsOf(entry.key_base64, 'id_base64').join() === octets.join() ? entry.version : undefined;
}

function versionCell(id, status, copy, found) {
  if (id !== status.id) { return 'told by its own console'; }
  if (copy === null) { return 'needs the scope admin'; }
  if (copy === undefined) { return tag('no value', found.version ? 'warn' : undefined); }
  return [copy, ' ', copy === found.version ? tag('as read', 'good') : tag('another one', 'warn')];
}

function result(placement, found, copy, status) {
  const names = status.nodes.map(node => node.id);
  const columns = [{ title: 'Replica' }, { title: 'Order', n: true }, { title: 'State' }, { title: 'Version there' }];
  const holders = placement.replicas.slice(0, Math.max(status.replication_factor, 1));
  const state = id => status.suspected.includes(id) ? tag('does not answer', 'bad')
    : status.disagreeing.includes(id) ? tag('disagrees', 'bad') : tag(id === status.id ? 'this node' : 'answers', 'good');
  return el('div', {},
    facts([
      ['Partition', placement.partition],
      found.problem ? ['Read', found.problem] : ['Version read', found.version + ', written ' + written(found.version)],
      found.bytes >= 0 && ['Value', counted(found.bytes, 'byte') + (found.bytes >= 1024 ? ', ' + bytes(found.bytes) : '')],
      found.expires && ['Expires', time(Number(found.expires))],
    ]),
    table('Replicas of the key', columns, holders.map((id, index) => [
      [el('span', { class: 'swatch ' + colourOf(id, names) }), id], index + 1, state(id), versionCell(id, status, copy, found)])),
    placement.replicas.length > holders.length && status.epoch > 1
      && note('A replica is being moved: further nodes take writes too: ' + placement.replicas.slice(holders.length).join(', ') + '.'));
}

async function look(key, encoding, status) {
  const query = new URLSearchParams({ [encoding]: key });
  const octets = octetsOf(key, encoding);
  const [placement, found, copy] = await Promise.all([json('v0/placement?' + query), read(query), own(octets)]);
  return result(placement, found, copy, status);
}

/**
 * Lets the form react.
 *
 * @param statusNow returns the last status of the node
 */
export function start(statusNow) {
  let last = 0;
  byId('lookup').addEventListener('submit', async event => {
    event.preventDefault();
    const turn = ++last;
    const show = content => { if (turn === last) { update(byId('found'), content); } };
    const status = statusNow();
    if (!status || byId('key').value === '') {
      show(note(status ? 'Give a key.' : 'The state of the node is not known yet.'));
      return;
    }
    show(note('Asks …'));
    try {
      show(await look(byId('key').value, byId('encoding').value, status));
    } catch (e) {
      show(note(e.name === 'InvalidCharacterError' ? 'This is no Base64.' : e.name === 'TypeError' || e.name === 'TimeoutError' ? 'The node did not answer.' : e.message));
    }
  });
}
