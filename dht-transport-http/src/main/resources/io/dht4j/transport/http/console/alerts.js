// What asks for an operator, in one list.

import { bytes, counted, el, note, span, time } from './dom.js';

/** Returns of how many partitions a node has no quorum, in the words of its probe; undefined if it has all. */
export const noQuorum = ready => /\d+ of \d+ partitions have no quorum/.exec(ready?.text ?? '')?.[0];

/**
 * Returns the problems that a node's answers tell, each with its `kind`, `bad` or `warn`, and a text.
 *
 * @param isRefusing whether the node has refused calls as overload lately
 * @param ready what the probe for readiness says
 */
export function problems(status, repair, members, isRefusing, ready) {
  const found = [];
  const bad = text => found.push({ kind: 'bad', text });
  const warn = text => found.push({ kind: 'warn', text });
  if (status) { ofStatus(status, bad, warn); }
  const lost = noQuorum(ready);
  if (lost) { bad(lost + ': too few of their replicas answer ' + status.id + ', and calls of their keys fail.'); }
  if (repair?.last_error) {
    (repair.blocked ? bad : warn)((repair.blocked ? 'Repair cannot begin: ' : 'The last repair was incomplete, and the next one makes up for it: ')
      + repair.last_error);
  }
  if (isRefusing) { warn('The node refuses calls as overload.'); }
  if (members) { ofMembers(members, warn); }
  return found;
}

function ofStatus(status, bad, warn) {
  const names = list => list.join(', ');
  if (status.clock_problem) {
    const { ahead_ms: ahead, of } = status.clock_problem;
    bad('The clock of ' + status.id + ' is ' + span(Math.abs(ahead)) + (ahead < 0 ? ' behind' : ' ahead of') + ' that of '
      + names(of) + ': the node takes no writes until its clock is set.');
  }
  for (const problem of status.store_problems ?? []) {
    bad('Store, since ' + time(problem.since_ms) + ': ' + problem.message);
  }
  for (const node of status.suspected ?? []) {
    bad(node + ' does not answer ' + status.id + ': check that it runs and is reachable.');
  }
  for (const node of status.disagreeing ?? []) {
    bad(node + ' disagrees with ' + status.id + ' about settings or addresses: the log of ' + status.id + ' names the difference.');
  }
  if (status.refill?.partitions > 0) {
    const waits = status.refill.waits_for;
    warn(counted(status.refill.partitions, 'partition') + ' of ' + status.id + ' are refilled before they are read'
      + (waits.length > 0 ? ', and wait for ' + names(waits) : '') + '.');
  }
  if (status.hint_bytes_dropped > 0) {
    warn(bytes(status.hint_bytes_dropped) + ' of hints were dropped since the start: the next repair restores them.');
  }
}

function ofMembers(members, warn) {
  const waits = (who, what) => { if (what) { warn(who + ' waits for ' + what); } };
  waits('The metadata', members.metadata.waits_for);
  waits('Rebalancing', members.rebalance.waits_for);
  members.nodes.forEach(node => waits(node.id, node.waits_for));
  if (members.rebalance.paused) { warn('Rebalancing is paused.'); }
  if (!members.metadata.leader) { warn('The metadata have no leader: the nodes cannot be changed.'); }
}

/** Makes the list. */
export function alerts(found) {
  if (found.length === 0) { return note('Nothing needs attention.'); }
  return el('ul', { class: 'alerts' }, found.map(({ kind, text }) =>
    el('li', { class: kind }, el('span', { class: 'sr-only' }, kind === 'bad' ? 'Error: ' : 'Warning: '), text)));
}
