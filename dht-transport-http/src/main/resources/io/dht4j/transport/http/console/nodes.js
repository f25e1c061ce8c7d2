// The summary, and the nodes with their zones, weights, states and clocks.

import { count, counted, el, number, seconds, span, table, tag } from './dom.js';

const STATES = { SERVING: 'good', ADMITTED: undefined, JOINING: 'warn', LEAVING: 'warn', DEAD: 'bad' };

/** Makes the tiles of figures. */
export function summary(status, members) {
  const tile = (name, value, more) => el('div', { class: 'tile' },
    el('span', { class: 'name' }, name), el('span', { class: 'value' }, value), more && el('span', { class: 'muted' }, more));
  const silent = new Set([...status.suspected, ...status.disagreeing]);
  return [
    tile('Nodes', count(status.nodes.length), silent.size === 0 ? 'all answer' : counted(silent.size, 'does not answer', 'do not answer')),
    tile('Replicas of a key', count(status.replication_factor), 'on different nodes'),
    tile('Partitions', count(status.partitions), status.placement + ' · ' + status.hash),
    tile('Entries here', status.entries < 0 ? 'unknown' : count(status.entries), 'in ' + status.id + ', ' + status.store),
    tile('Epoch', members?.epoch_text ?? count(status.epoch), members ? 'agreed' : status.epoch === 1 ? 'fixed nodes' : 'agreed'),
    tile('Up for', span(status.uptime_ms), 'version ' + status.version),
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

function state(node, member, status) {
  const words = [];
  if (member) { words.push(tag(member.state.toLowerCase(), STATES[member.state])); }
  if (node.id === status.id) {
    words.push(tag('this node', 'good'));
  } else if (status.suspected.includes(node.id)) {
    words.push(tag('does not answer', 'bad'));
  } else if (status.disagreeing.includes(node.id)) {
    words.push(tag('disagrees', 'bad'));
  } else if (member?.silent_ms > 0) {
    words.push(tag('silent for ' + span(member.silent_ms), 'warn'));
  } else {
    words.push(tag('answers', 'good'));
  }
  return words.flatMap(word => [word, ' ']);
}

function clock(node, status, offsets) {
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
 */
export function nodes(status, members, held, offsets) {
  const byName = new Map((members?.nodes ?? []).map(member => [member.id, member]));
  const known = new Map(status.nodes.map(node => [node.id, node]));
  // A node that was admitted, and has not joined yet, is no part of the topology.
  for (const member of byName.values()) {
    if (!known.has(member.id)) { known.set(member.id, member); }
  }
  const columns = [{ title: 'Node' }, { title: 'State' }, { title: 'Zone' }, { title: 'Weight', n: true },
    { title: 'Partitions', n: true }, { title: 'Clock' }, { title: 'Address' }];
  const rows = [...known.values()].map(node => {
    const member = byName.get(node.id);
    const link = consoleOf(node, status);
    const name = node.id === status.id || !link ? node.id
      : el('a', { href: link, rel: 'noreferrer', title: 'The console of ' + node.id }, node.id);
    return [name, state(node, member, status), member ? member.zone || '–' : '–', number(node.weight),
      member || held.has(node.id) ? share(member?.partitions ?? held.get(node.id), member) : '–',
      clock(node, status, offsets), node.address ?? 'not joined'];
  });
  return table('Nodes of the cluster', columns, rows);
}
