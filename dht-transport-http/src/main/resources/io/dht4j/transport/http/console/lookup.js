// A key with its partition, its replicas and their versions.

import { ask, problem } from './poll.js';
import { byId, counted, bytes, el, facts, note, seconds, span, table, tag, time, update } from './dom.js';
import { colourOf } from './partitions.js';

/** A read waits for replicas, so it may take longer than what a node knows by itself. */
const READ_TIMEOUT_MS = 15000;
/** A replica that has not answered by then is shown as such. */
const REPLICAS_MS = 4000;
const PHYSICAL_BITS = 16n;
/** How much longer than its lease a lock may look unrenewed: the clocks of nodes and browser differ a little. */
const LEASE_SLACK_MS = 2000;
/** The value of a lock: its lease in milliseconds, and a name of its holder. */
const LOCK = /^([1-9]\d{0,8}) ([0-9a-f]{32})$/;

/** Returns the time in a version, whose upper 48 bits are milliseconds. */
const millis = version => Number(BigInt(version) >> PHYSICAL_BITS);
const written = version => time(millis(version));

const bytesOf = (key, encoding) => encoding === 'id' ? new TextEncoder().encode(key)
  : Uint8Array.from(atob(key.replaceAll('-', '+').replaceAll('_', '/')), letter => letter.charCodeAt(0));

/** Returns the query for the place of an atomic key: `\0atomic/`, the length of the map's name in a byte, name and key. */
function place(map, key, encoding) {
  const name = bytesOf(map, 'id');
  if (name.length > 255) { throw new Error('The name of the map is too long: at most 255 bytes.'); }
  const all = [...bytesOf('\0atomic/', 'id'), name.length, ...name, ...bytesOf(key, encoding)];
  const base64 = btoa(String.fromCharCode(...all)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return new URLSearchParams({ id_base64: base64 });
}

async function json(path, options) {
  const answer = await ask(path, options);
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

/** Reads the key of an atomic map: its version, the number of a counter, and whether it is a lock. */
async function readAtomic(query) {
  const answer = await ask('v0/atomic?' + query, { timeout: READ_TIMEOUT_MS });
  if (!answer.ok) { return { problem: answer.status === 404 ? 'absent' : (await problem(answer)).detail }; }
  const value = await answer.text();
  const [, lease, holder] = LOCK.exec(value) ?? [];
  return {
    version: answer.headers.get('Dht-Version'),
    number: answer.headers.get('Dht-Number'),
    bytes: answer.headers.get('Dht-Number') ? undefined : Number(answer.headers.get('Content-Length')),
    expires: answer.headers.get('Dht-Expires-At'),
    lock: holder && { lease: Number(lease), holder },
  };
}

function lock({ lease, holder }, version) {
  const age = Date.now() - millis(version);
  return ['held by ' + holder.slice(0, 8) + '…, lease ' + seconds(lease / 1000) + ', renewed ' + span(age) + ' ago ',
    age > lease + LEASE_SLACK_MS && tag('not renewed in time: free for the next one', 'warn')];
}

/** Returns what a replica has, as the cells of its row. */
function has({ state, version, value_bytes: size, failure }, newest) {
  switch (state) {
    case 'VALUE': case 'TOMBSTONE':
      return [state === 'VALUE' ? counted(size, 'byte') : 'deleted',
        [version, ' ', version === newest ? tag('newest', 'good') : tag('older', 'warn')], written(version)];
    case 'ABSENT': return [tag('nothing', newest && 'warn'), '–', '–'];
    default: return [tag('did not answer', 'bad'), failure ?? '–', '–'];
  }
}

const newestOf = replicas => replicas.filter(({ version }) => version)
  .map(({ version }) => version).reduce((a, b) => a !== undefined && BigInt(a) > BigInt(b) ? a : b, undefined);

function result(placement, found, replicas, status) {
  const names = status.nodes.map(node => node.id);
  const columns = [{ title: 'Replica' }, { title: 'Has' }, { title: 'Version there' }, { title: 'Written' }];
  const newest = newestOf(replicas);
  const widest = Math.max(status.replication_factor, 1);
  return el('div', {},
    facts([
      ['Partition', placement.partition],
      found.problem ? ['Read', found.problem] : ['Version read', found.version + ', written ' + written(found.version)],
      found.number && ['Counter', found.number],
      found.lock && ['Lock', lock(found.lock, found.version)],
      found.bytes >= 0 && ['Value', counted(found.bytes, 'byte') + (found.bytes >= 1024 ? ', ' + bytes(found.bytes) : '')],
      found.expires && ['Expires', time(Number(found.expires))],
    ]),
    table('Replicas of the key', columns, replicas.map(replica => [
      [el('span', { class: 'swatch ' + colourOf(replica.node, names) }), replica.node], ...has(replica, newest)])),
    replicas.length > widest && status.epoch > 1
      && note('A replica is being moved: a further node takes writes too.'));
}

async function look(key, encoding, map, status) {
  const own = { [encoding]: key };
  const query = map === '' ? new URLSearchParams(own) : place(map, key, encoding);
  const asked = json('v0/replicas?' + query + '&timeout=' + REPLICAS_MS, { timeout: READ_TIMEOUT_MS });
  // A read repairs replicas that differ, so it waits until they have been asked.
  const [placement, { replicas }] = await Promise.all([json('v0/placement?' + query), asked]);
  return result(placement, map === '' ? await read(query) : await readAtomic(new URLSearchParams({ map, ...own })), replicas, status);
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
    show(note('Asking …'));
    try {
      show(await look(byId('key').value, byId('encoding').value, byId('of-map').hidden ? '' : byId('atomic-map').value, status));
    } catch (e) {
      // Thrown by atob().
      show(note(e.name === 'InvalidCharacterError' ? 'The key is not Base64.' : e.name === 'TypeError' || e.name === 'TimeoutError' ? 'The node did not answer.' : e.message));
    }
  });
}
