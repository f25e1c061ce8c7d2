// A key with its partition, its replicas and their versions.

import { ask, problem } from './poll.js';
import { byId, counted, bytes, el, facts, note, table, tag, time, update } from './dom.js';
import { colourOf } from './partitions.js';

/** A read waits for replicas, so it may take longer than what a node knows by itself. */
const READ_TIMEOUT_MS = 15000;
/** A replica that has not answered by then is shown as such. */
const REPLICAS_MS = 4000;
const PHYSICAL_BITS = 16n;

/** Returns the time in a version, whose upper 48 bits are milliseconds. */
const written = version => time(Number(BigInt(version) >> PHYSICAL_BITS));

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
      found.bytes >= 0 && ['Value', counted(found.bytes, 'byte') + (found.bytes >= 1024 ? ', ' + bytes(found.bytes) : '')],
      found.expires && ['Expires', time(Number(found.expires))],
    ]),
    table('Replicas of the key', columns, replicas.map(replica => [
      [el('span', { class: 'swatch ' + colourOf(replica.node, names) }), replica.node], ...has(replica, newest)])),
    replicas.length > widest && status.epoch > 1
      && note('A replica is being moved: a further node takes writes too.'));
}

async function look(key, encoding, status) {
  const query = new URLSearchParams({ [encoding]: key });
  const asked = json('v0/replicas?' + query + '&timeout=' + REPLICAS_MS, { timeout: READ_TIMEOUT_MS });
  // A read repairs replicas that differ, so it waits until they have been asked.
  const [placement, { replicas }] = await Promise.all([json('v0/placement?' + query), asked]);
  return result(placement, await read(query), replicas, status);
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
      show(await look(byId('key').value, byId('encoding').value, status));
    } catch (e) {
      show(note(e.name === 'TypeError' || e.name === 'TimeoutError' ? 'The node did not answer.' : e.message));
    }
  });
}
