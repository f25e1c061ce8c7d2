// What goes on in the background: hints, repair, rebalancing; the store and overload.

import { bytes, count, counted, el, facts, note, span, table, tag, time } from './dom.js';

const words = name => name.toLowerCase().replaceAll('_', ' ');
const progress = (done, total, label) => el('progress', { max: Math.max(1, total), value: Math.min(done, total), 'aria-label': label });

/** Shows hints and the repair of this node. */
export function repair(status, state) {
  const times = Object.values(state?.completed_ms ?? {});
  const facing = state && [
    ['Session', state.running
      ? ['running: ', count(state.partitions_done), ' of ', counted(state.partitions, 'partition'), ' compared ', progress(state.partitions_done, state.partitions, 'Partitions compared')]
      : state.blocked ? tag('blocked', 'bad') : state.rounds === 0 ? 'none yet' : 'waits for the next round'],
    ['Ended sessions', count(state.rounds)],
    ['Partitions compared completely', times.length === 0 ? 'none yet'
      : count(times.length) + ', the longest ago ' + span(Date.now() - Math.min(...times)) + ' ago'],
    ['Entries sent, received, refused', [state.sent, state.received, state.refused].map(count).join(', ')],
    ['Tombstones and expired values purged', count(state.purged)],
    state.last_error && ['Last error', state.last_error],
  ];
  return facts([
    ['Hints that wait', bytes(status.hint_bytes)],
    ['Hints dropped', status.hint_bytes_dropped > 0 ? tag(bytes(status.hint_bytes_dropped), 'warn') : 'none'],
    ...facing ?? [],
  ]);
}

function move(each) {
  const part = each.total_bytes > 0 ? [progress(each.copied_bytes, each.total_bytes, 'Copied'), ' ', el('span', { class: 'whole' }, bytes(each.copied_bytes) + ' of ' + bytes(each.total_bytes))] : 'unknown';
  return [each.from + ' → ' + each.to, count(each.partitions), each.phase.toLowerCase(), part, each.waits_for ?? 'nothing'];
}

/** Shows the moves of partitions and who agrees on them. */
export function rebalancing(source) {
  const state = source.data;
  if (source.problem?.status === 400) {
    return note('The nodes of this cluster are fixed by its configuration, so nothing moves.');
  }
  if (source.state === 'forbidden') { return note('Needs a token with the scope admin.'); }
  if (!state) { return note('Not known yet.'); }
  const columns = [{ title: 'Move' }, { title: 'Partitions', n: true }, { title: 'Phase' }, { title: 'Copied' }, { title: 'Waits for' }];
  return el('div', {},
    facts([
      ['State', state.rebalance.paused ? tag('paused', 'warn') : state.moves.length > 0 ? tag('moving', 'good') : 'nothing moves'],
      ['Rate of a node', bytes(state.rebalance.bytes_per_second) + ' a second'],
      state.rebalance.waits_for && ['Waits for', state.rebalance.waits_for],
      ['Leader of the metadata', state.metadata.leader ?? tag('none', 'bad')],
      ['Voters', state.metadata.voters.join(', ') + ' (wanted: ' + count(state.metadata.wanted_voters) + ')'],
      state.metadata.waits_for && ['Metadata wait for', state.metadata.waits_for],
    ]),
    state.moves.length > 0 && table('Moves under way', columns, state.moves.map(move)));
}

/** Shows the health of this node's store. */
export function store(status) {
  return el('div', {}, note('Normal: healthy, the refill complete, and entries counted within two seconds.'), facts([
    ['Kind', status.store],
    ['Health', status.store_problems.length === 0 ? tag('healthy', 'good') : tag(counted(status.store_problems.length, 'problem'), 'bad')],
    ['Entries', (status.entries < 0 ? 'unknown' : count(status.entries))
      + (status.entries_age_ms > 2000 ? ', counted ' + span(status.entries_age_ms) + ' ago' : '')],
    ['Refill', status.refill.partitions === 0 ? 'complete' : [
      tag(counted(status.refill.partitions, 'partition') + ' to go', 'warn'), ' ', counted(status.refill.entries, 'entry', 'entries'), ' received',
      status.refill.waits_for.length > 0 && ', waits for ' + status.refill.waits_for.join(', ')]],
  ]),
  status.store_problems.length > 0 && el('ul', { class: 'alerts' }, status.store_problems.map(problem =>
    el('li', { class: 'bad' }, words(problem.kind) + ' since ' + time(problem.since_ms) + ': ' + problem.message))));
}

const OVERLOAD = [
  ['calls_refused', 'Calls refused'], ['work_dropped', 'Work dropped, its caller gone'],
  ['peer_requests_refused', 'Requests of peers refused'], ['retries', 'Requests repeated'],
  ['hedges', 'Hedged reads'], ['retries_denied', 'Repetitions denied'],
];

/** Shows what was refused, dropped or repeated. */
export function overload(status) {
  return el('div', {}, note('Normal: nothing refused, dropped or denied; few repeated requests and hedged reads. Since the start of ' + status.id + '.'),
    facts(OVERLOAD.map(([field, name]) => [name, count(status.overload[field])])));
}
