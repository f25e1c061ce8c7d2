// What an operator may do here. Each act is confirmed, and says before what happens.

import { ask, hurry, problem } from './poll.js';
import { byId, counted } from './dom.js';

const ACT_TIMEOUT_MS = 60000;

const ACTS = {
  repair: status => ({
    title: 'Start a repair of ' + status.id + '?',
    text: status.id + ' compares each partition of which it is a replica with the other replicas, and sends and receives'
      + ' the entries that differ. This reads its whole store and loads disks and network for a while. Values do not change.',
    yes: 'Start the repair', path: 'v0/repair', done: 'The repair of ' + status.id + ' has started.', sees: ['repair'],
  }),
  pause: (status, members) => ({
    title: 'Pause rebalancing of the whole cluster?',
    text: 'No node sends or receives partitions until rebalancing is continued: '
      + (members.moves.length === 0 ? 'nothing moves now, and later moves wait.' : counted(members.moves.length, 'move') + ' under way stop where they are.')
      + ' Nodes that join stay empty, nodes that leave stay. Reads and writes go on.',
    yes: 'Pause', path: 'v0/rebalance?change=pause', done: 'Rebalancing is paused.', sees: ['members'],
  }),
  resume: () => ({
    title: 'Continue rebalancing of the whole cluster?',
    text: 'Partitions move again, within the agreed rate of bytes a second, until each node has its share.',
    yes: 'Continue', path: 'v0/rebalance?change=resume', done: 'Rebalancing continues.', sees: ['members'],
  }),
};

async function perform(act, say) {
  say(act.title.replace(/\?$/, '') + ' …');
  try {
    const answer = await ask(act.path, { method: 'POST', timeout: ACT_TIMEOUT_MS });
    say(answer.ok ? act.done : 'Refused: ' + (await problem(answer)).detail);
  } catch (e) {
    say('The node did not answer: whether it carried out the request is unknown.');
  }
  hurry(...act.sees);
}

/** Shows the acts that are possible now. */
export function offer(isAdmin, members) {
  byId('repair-acts').hidden = !isAdmin;
  byId('moves-acts').hidden = !isAdmin || !members;
  if (members) {
    document.querySelector('[data-act=pause]').hidden = members.rebalance.paused;
    document.querySelector('[data-act=resume]').hidden = !members.rebalance.paused;
  }
}

/**
 * Lets the buttons react.
 *
 * @param stateNow returns the last status of the node and of the membership
 * @param say shows a line, also to a screen reader
 */
export function start(stateNow, say) {
  const dialog = byId('confirm');
  let asked;
  document.addEventListener('click', event => {
    const button = event.target.closest('[data-act]');
    const { status, members } = stateNow();
    if (!button || !status) { return; }
    asked = ACTS[button.dataset.act](status, members);
    byId('confirm-title').textContent = asked.title;
    byId('confirm-text').textContent = asked.text;
    byId('confirm-yes').textContent = asked.yes;
    dialog.returnValue = 'no';
    dialog.showModal();
  });
  dialog.addEventListener('close', () => {
    if (dialog.returnValue === 'yes' && asked) { perform(asked, say); }
    asked = undefined;
  });
}
