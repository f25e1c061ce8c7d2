// The keys that the node is asked for most, counted while somebody asks.

import { ask, problem } from './poll.js';
import { byId, bytes, count, el, note, number, table, update } from './dom.js';

const SHOWN = 10;
/** The answer comes at the end of the count. */
const SPARE_MS = 10000;

const RANKINGS = [['reads', 'Reads', count], ['writes', 'Writes', count], ['bytes', 'Bytes', bytes]];

const bounds = (low, high, format) => low === high ? format(low) : format(low) + ' to ' + format(high);

const keyCell = each => el('code', {}, each.key ?? 'base64:' + each.key_base64);

function ranking(title, { total, keys }, format) {
  if (keys.length === 0) { return note(title + ': none.'); }
  return el('div', {}, el('h3', {}, title + ', ' + format(total) + ' in all'),
    table(title + ' by key', [{ title: 'Key' }, { title: 'Share', n: true }, { title, n: true }], keys.map(each => [
      keyCell(each), number(100 * each.at_least / total) + ' %', bounds(each.at_least, each.at_most, format)]), true));
}

const NORMAL = 'Normal: no key has more than a few percent of the reads or writes. A hotter one loads its replicas more than other nodes.';

const shown = hot => el('div', {}, note(NORMAL),
  note('Counted for ' + number(hot.counted_ms / 1000) + ' s on ' + hot.node + ', as a replica. A key is as hot on its other replicas.'),
  el('div', { class: 'rankings' }, RANKINGS.map(([name, title, format]) => ranking(title, hot[name], format))));

let turn = 0;

/** Shows nothing of an earlier token, and what the panel is for. */
export function reset() {
  turn++;
  byId('hot-start').disabled = false;
  update(byId('hot'), note(NORMAL), note('Counts which keys this node is asked for most. Nothing is counted before.'));
}

/** Lets the button react. */
export function start() {
  reset();
  byId('hot-form').addEventListener('submit', async event => {
    event.preventDefault();
    const mine = ++turn;
    const duration = Number(byId('hot-duration').value);
    const show = content => { if (mine === turn) { update(byId('hot'), content); } };
    byId('hot-start').disabled = true;
    show(note('Counting for ' + duration / 1000 + ' s …'));
    try {
      const answer = await ask('v0/hot-keys?' + new URLSearchParams({ duration, count: SHOWN }), { timeout: duration + SPARE_MS });
      if (answer.ok) {
        show(shown(await answer.json()));
      } else if (answer.status === 401 || answer.status === 403) {
        show(note('Needs a token with the scope read.'));
      } else {
        show(note((await problem(answer)).detail));
      }
    } catch (e) {
      show(note('The node did not answer.'));
    }
    if (mine === turn) { byId('hot-start').disabled = false; }
  });
}
