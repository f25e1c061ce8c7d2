// The summary, and the nodes with their zones, weights, states and clocks.

import { count, el, number, seconds, span, table, tag, time } from './dom.js';

const STATES = { SERVING: 'good', ADMITTED: undefined, JOINING: 'warn', LEAVING: 'warn', DEAD: 'bad' };
/** After a longer time without a look, a silence may have begun long before. */
const BLIND_MS = 10000;

/** Since when nodes do not answer, by name: `at`, and whether it began `before` that. */
let silences = new Map();
let lookedAt = -Infinity;

/** Notes which nodes do not answer. */
export function observe(status, at) {
  const isBlind = at - lookedAt > BLIND_MS;
  silences = new Map(status.suspected.map(id => [id, silences.get(id) ?? { at, before: isBlind }]));
  lookedAt = at;
}

/** Forgets all of it. */
export function forget() {
  silences = new Map();
  lookedAt = -Infinity;
}

/** Returns since when a node does not answer, as far as it is known; undefined if it does. */
function silence(id, status, member, membersAt) {
  const isSilent = member?.silent_ms > 0;
  if (!status.suspected.includes(id)) {
    return isSilent ? { at: membersAt - member.silent_ms } : member?.state === 'DEAD' ? {} : undefined;
  }
  const seen = silences.get(id);
  if (seen?.before && isSilent && membersAt - member.silent_ms < seen.at) {
    silences.set(id, { at: membersAt - member.silent_ms });
  }
  return silences.get(id) ?? {};
}

const noAnswer = ({ at, before }) => 'no answer' + (Number.isFinite(at) ? ' since ' + (before ? 'before ' : '') + time(at) : '');

const byName = members => new Map((members?.nodes ?? []).map(member => [member.id, member]));

/** Returns the keys in the stores of all nodes without copies, from this node's part of the replicas; undefined if unknown. */
function keys(status, held) {
  return status.entries >= 0 && held > 0 ? status.entries * status.partitions / held : undefined;
}

/**
 * Makes the tiles of figures.
 *
 * @param known `held`: how many partitions each node is a replica of; `calls`: how many a second, undefined if unknown;
 *     `lostAt`: when this node answered last, if it no longer does
 */
export function summary(status, members, { held, calls, lostAt, membersAt }) {
  const tile = (name, value, more) => el('div', { class: 'tile' },
    el('span', { class: 'name' }, name), el('span', { class: 'value' }, value), more && el('span', { class: 'muted' }, more));
  const named = byName(members);
  const ids = status.nodes.map(node => node.id);
  const silent = ids.filter(id => status.disagreeing.includes(id) || silence(id, status, named.get(id), membersAt));
  const serving = ids.filter(id => !silent.includes(id) && (named.get(id)?.state ?? 'SERVING') === 'SERVING');
  const all = keys(status, held.get(status.id) ?? named.get(status.id)?.partitions);
  const isLost = lostAt !== undefined;
  return [
    tile('Nodes serving', isLost ? '–' : count(serving.length) + ' of ' + count(ids.length),
      isLost ? count(ids.length) + ' nodes' : silent.length === 0 ? 'all answer' : 'not ' + silent.join(', ')),
    tile('Keys in the cluster', all === undefined ? '–' : (held.get(status.id) === status.partitions ? '' : '≈ ') + count(all),
      (status.entries < 0 ? 'unknown' : count(status.entries)) + ' in ' + status.id + ', ' + status.store + '; deleted ones until they are purged'),
    tile('Calls a second', isLost ? '–' : number(calls), calls === undefined ? 'needs metrics' : 'of clients, by ' + status.id),
    tile('Partitions × replicas', count(status.partitions) + ' × ' + count(status.replication_factor), status.placement + ' · ' + status.hash),
    tile('Epoch', members?.epoch_text ?? count(status.epoch), members ? 'agreed' : status.epoch === 1 ? 'fixed nodes' : 'agreed'),
    tile('Up for', isLost ? '–' : span(status.uptime_ms), isLost ? noAnswer({ at: lostAt }) : 'version ' + status.version),
  ];
}

/** Returns where a node's own console probably is; empty if nobody knows. */
function consoleOf(node, status) {
  const published = (node.public_addresses ?? []).find(address => address.startsWith('http'));
  let host = published?.replace(/^https?:\/\//, '');
  if (!host && !published && status.transport === 'http') { host = node.address; }
  if (!host || /[/?#\\@\s]/.test(host)) { return ''; }
  return location.protocol + '//' + host + '/console';
}

/** Returns the state in words. Only a node that answers is shown in the colour of what is well. */
function state(node, member, status, since, lostAt) {
  const isOwn = node.id === status.id;
  if (lostAt !== undefined) { return isOwn ? tag(noAnswer({ at: lostAt }), 'bad') : tag('unknown'); }
  const isWell = !since && !status.disagreeing.includes(node.id);
  const words = [];
  if (member && (isWell || member.state !== 'SERVING')) { words.push(tag(member.state.toLowerCase(), STATES[member.state])); }
  if (isOwn) {
    words.push(tag('this node', 'good'));
  } else if (since) {
    words.push(tag(noAnswer(since), status.suspected.includes(node.id) ? 'bad' : 'warn'));
  } else if (!isWell) {
    words.push(tag('disagrees', 'bad'));
  } else if (node.address) {
    words.push(tag('answers', 'good'));
  }
  return words.flatMap(word => [word, ' ']);
}

function clock(node, status, offsets, since, lostAt) {
  // What was measured before says nothing about the clock now.
  if (since || lostAt !== undefined || !node.address) { return '–'; }
  const problem = status.clock_problem;
  if (problem && node.id === status.id) { return tag(span(Math.abs(problem.ahead_ms)) + (problem.ahead_ms < 0 ? ' behind' : ' ahead'), 'bad'); }
  if (problem?.of.includes(node.id)) { return tag('contradicts this node', 'warn'); }
  if (node.id === status.id) { return 'the reference'; }
  const offset = offsets.get(node.id);
  return offset === undefined ? 'no contradiction' : (offset < 0 ? '−' : '+') + seconds(Math.abs(offset));
}

function share(held, member) {
  const moving = [member?.to_come > 0 && '+' + count(member.to_come), member?.to_give > 0 && '−' + count(member.to_give)];
  return [count(held), ...moving.filter(word => word).map(word => [' ', tag(word)])];
}

/**
 * Makes the table of nodes.
 *
 * @param held how many partitions each node is a replica of, empty if unknown
 * @param offsets seconds by which clocks differ from this node's, by node
 * @param known `lostAt`: when this node answered last, if it no longer does; `membersAt`: when the members were asked for
 */
export function nodes(status, members, held, offsets, { lostAt, membersAt } = {}) {
  const named = byName(members);
  const known = new Map(status.nodes.map(node => [node.id, node]));
  // A node that was admitted, and has not joined yet, is no part of the topology.
  for (const member of named.values()) {
    if (!known.has(member.id)) { known.set(member.id, member); }
  }
  const columns = [{ title: 'Node' }, { title: 'State' }, { title: 'Zone' }, { title: 'Weight', n: true },
    { title: 'Partitions', n: true }, { title: 'Clock' }, { title: 'Address' }];
  const rows = [...known.values()].map(node => {
    const member = named.get(node.id);
    const since = node.id === status.id ? undefined : silence(node.id, status, member, membersAt);
    const link = consoleOf(node, status);
    const name = node.id === status.id || !link ? node.id
      : el('a', { href: link, rel: 'noreferrer', title: 'The console of ' + node.id }, node.id);
    return [name, state(node, member, status, since, lostAt), member ? member.zone || '–' : '–', number(node.weight),
      member || held.has(node.id) ? share(member?.partitions ?? held.get(node.id), member) : '–',
      clock(node, status, offsets, since, lostAt), node.address ?? 'not joined'];
  });
  return table('Nodes of the cluster', columns, rows);
}
