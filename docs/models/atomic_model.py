"""Random schedules of atomic registers (CASPaxos) on the slots of one partition whose replicas move.

The design is docs "atomic.md", sections 3 and 5.  A schedule is one seed: a pseudo random sequence of steps (deliver a
message, write a pending accept, kill a node, install a row, let time pass, ...).  After it, checkers look at everything
that callers were told.  The same seed always gives the same schedule.

    python3 atomic_model.py --seeds N --from S [--mutation NAME] [--variant V] [--profile P] [--list] [--all]

What is modelled
  * Several keys of one partition: a promise per key, one floor per replica, eviction, frames with accepts of several
    keys, of which some may be refused or may fail to be written.
  * Rows of 1 to 4 slots: moves (COPY, BOTH, UNDO, abort), any number in a row; replacements (FILL) of nodes that are
    dead, or only declared so; growth, one slot at a time, with the growth fence.  Nodes and proposers learn of rows
    late, and may skip some.  A copy is opened (watermark), then fetched key by key.
  * Kills (a pending accept may be on the disk or not), failed Store.apply, lost disks (a new incarnation: a new node).
  * Expiry decided by an accept, clocks that differ; locks with lease ages on monotonic clocks that drift by 2 %.
  * Request ids: repeats of a call at other proposers while earlier attempts are still on their way, conditions that
    fail, eviction from the ring.
  * The two-phase purge of a partition: seal, comparison, votes (W), commit.
What is not modelled
  * Static clusters; the watch; bytes, sizes and queues; liveness.  A node's disk is never rolled back.
  * Durability OS with loss of power: what is acknowledged is durable.
  * The ring's rule "all of the last 2 s": the ring simply has two or three places.

Proposers are separate from replicas (they are more independent than the real ones, which share a process and a view).
Every register carries its history, the list of all changes that led to it.  It is not part of the protocol: the
checkers compare the histories on which answers were based.  At the end of a schedule each majority that serves one row
must find a history that continues all that was told.

Three variants of a replica, by the seed or --variant:
  drop   installing a row drops the promises of the partition and raises the floor; prepare is atomic
  tag    a promise remembers its row; an accept needs the same row; earlier promises still count for prepares
  split  as tag; a prepare sets the promise, and reads the accepted state later; an accept does not compare with the
         accepted ballot, since the store merges by version

The model is the design with these changes; --without floor, --without stamps and the mutations condring, condtrust and
condblind take them back:
  floor      an heir adopts the highest promise of all sources of its copy before it reports that it is complete
  stamps     a purge drops an absent register only if its revision and all stamps of its ring are at most W too
  condring   a condition on a value that fails goes into the ring, with a stamp above since
  condtrust  a failure that a one-round read shows counts only if no other attempt of the call was ever sent
  condblind  a failed revision needs no place in the ring, but a look for the id there
atomic_scenarios.py has a directed schedule for most rules; drive.py runs the model in slices.
"""
import itertools
import random
import sys
import time
from collections import namedtuple

# An accepted state.  lock = (handle, token, lease, stamp) or None.  ring = ((id, stamp, outcome, history), ...).
Register = namedtuple('Register', 'ballot present value revision expiry lock evicted ring history')
# A change in a history: id 0 is an expiry.
Change = namedtuple('Change', 'id kind present value revision')
NOTHING = Register(0, False, None, 0, None, None, 0, (), ())

SLOTS = 16           # version slots: the low part of a version names its issuer
DRIFT = 0.02


class Slot(namedtuple('Slot', 'phase owner heir')):
    """One slot of a row."""
    __slots__ = ()

    def nodes(self):
        if self.phase == 'STABLE':
            return (self.owner,)
        return (self.heir,) if self.phase == 'FILL' else (self.owner, self.heir)


class Row:
    """The slots of the partition at one row version, and what counts for a majority of them."""

    def __init__(self, version, slots):
        self.version, self.slots, self.width = version, tuple(slots), len(slots)
        self.majority = self.width // 2 + 1
        self.accepting = [s.nodes() for s in self.slots]
        self.telling = [None if s.phase == 'FILL' else s.nodes() for s in self.slots]   # whose promises and reads count
        self.nodes = [n for s in self.slots for n in s.nodes()]
        self.is_stable = all(s.phase == 'STABLE' for s in self.slots)


class Node:
    """A replica.  An incarnation with a new disk is another Node."""

    def __init__(self, name, rate):
        self.name, self.rate = name, rate
        # durable
        self.store, self.purged = {}, {}      # key -> Register; key -> history of what a purge dropped (for checkers)
        self.bound = 0                        # no promise above it
        self.fence = 0                        # W
        self.view = 0                         # installed row version
        self.batch, self.complete = None, True  # the mark of the copy that this store belongs to
        self.doubtful = []                    # entries whose write failed: they may appear at the next start
        # in memory
        self.promises = {}                    # key -> (ballot, row version)
        self.floor = 0
        self.pending = {}                     # key -> group of writes
        self.poisoned = {}                    # key -> the highest state whose write failed
        self.ages = {}                        # key -> (lease stamp, monotonic time since when it is held)
        self.opened = None                    # the row version for which a copying heir takes writes
        self.seal = None                      # [version, broken?]
        self.reads = []                       # second halves of split prepares
        self.copied = set()

    def entry(self, key):
        found = self.store.get(key)
        if found is not None:
            return found
        return NOTHING._replace(evicted=self.fence, history=self.purged.get(key, ()))


class Operation:
    """What a caller wants, and what it was told."""

    def __init__(self, number, key, kind, start, since, **more):
        self.id, self.key, self.kind, self.start, self.since = number, key, kind, start, since
        self.value = self.expected = self.ttl = self.handle = self.token = self.lease = None
        self.__dict__.update(more)
        self.sent, self.nothing, self.unknown = 0, 0, False
        self.end = self.outcome = self.history = self.seen = None


class Call:
    """One attempt of an operation at one proposer."""

    def __init__(self, op):
        self.op, self.accept_sent, self.result = op, False, None


class Round:
    """One ballot of a proposer for one key, or a one-round read."""

    def __init__(self, proposer, key, calls, row, tries):
        self.proposer, self.key, self.calls, self.row, self.tries = proposer, key, calls, row, tries
        self.stage, self.ballot, self.next = 'prepare', 0, 0
        self.promised, self.fences, self.ages, self.accepted, self.next_at, self.read = {}, {}, {}, set(), {}, {}
        self.state = None
        self.over = self.cached = False


class Proposer:
    def __init__(self, number, skew, rate):
        self.number, self.skew, self.rate = number, skew, rate
        self.tick, self.view = 0, 0
        self.last, self.again = 0, 0                  # the last ballot; the one to use again (a mutation)
        self.queue, self.cache, self.rounds = {}, {}, {}


class Holder:
    """A lock's handle: what its process believes, by its own monotonic clock."""

    def __init__(self, op, rate):
        self.op, self.rate, self.lease, self.start = op, rate, op.lease, None
        self.token, self.released = None, False
        self.renewals = {}


class Violation(Exception):
    pass


# ---------------------------------------------------------------------------------------------------------------------
# Profiles: which parts of the model a schedule stresses.  A mutation names the profile in which it is looked for.
# topology, purge, crash: relative rates of such steps.  kinds: the operations.

PROFILES = {
    'still': dict(widths=[3], topology=0, crash=3, kinds='ppprrrcd'),
    'move': dict(widths=[3], topology=5, actions=['move'], crash=2, kinds='ppprrrcd'),
    'fill': dict(widths=[3], topology=5, actions=['fill', 'fill', 'move'], crash=2, kinds='ppprrrcd'),
    'grow': dict(widths=[1, 2, 3], topology=4, actions=['grow', 'grow', 'grow', 'move'], crash=1, kinds='ppprrrcd'),
    'mixed': dict(widths=[1, 2, 3, 3], topology=4, actions=['grow', 'move', 'move', 'fill'], crash=2, purge=2,
                  kinds='pprrccdd', ttl=.3, faulty=.3),
    'purge': dict(widths=[3, 2], topology=1, actions=['move', 'fill'], crash=1, purge=12, kinds='prcdd', ttl=.3),
    'expiry': dict(widths=[3], topology=1, actions=['move'], crash=2, purge=1, kinds='pprrrrc', ttl=.9),
    'lock': dict(widths=[3], topology=1, actions=['move', 'fill'], crash=2, purge=1, kinds='tttr', locks=True),
    'cond': dict(widths=[3], topology=1, actions=['move'], crash=2, kinds='pcccccd', repeats=3),
    'faulty': dict(widths=[3], topology=1, actions=['move', 'fill'], crash=3, purge=2, kinds='ppprrrcd', faulty=1),
    'version': dict(widths=[3], topology=1, actions=['move'], crash=2, purge=3, kinds='pvvvvdr', repeats=3, ttl=.2),
}
USUAL = ['still', 'move', 'move', 'fill', 'grow', 'mixed', 'mixed', 'purge', 'expiry', 'lock', 'cond', 'faulty', 'version']
NAMES = 'abcdefghijkl'


class World:
    """One schedule."""

    def __init__(self, seed, mutation=None, variant=None, profile=None, fixes=()):
        self.r = r = random.Random(seed)
        self.rnd = r.random
        self.bug = mutation
        self.fixes = fixes
        name = profile or PROFILE_OF.get(mutation) or r.choice(USUAL)
        variant = variant or VARIANT_OF.get(mutation) or r.choice(['drop', 'tag', 'split'])
        self.tag = variant in ('tag', 'split')        # promises remember their row, instead of being dropped
        self.split = variant == 'split'               # prepare: promise first, read the store later
        p = self.profile = dict(topology=0, actions=[], crash=1, purge=0, ttl=0, faulty=0, locks=False, repeats=1)
        p.update(PROFILES[name])
        self.now = 1000
        self.clock = 0
        self.loss = r.choice([0, .03, .12])
        self.cut = r.choice([None, None] + list(NAMES[:4]))
        self.burst = r.choice([0, .8])
        self.ring = r.choice([2, 3])
        self.spread = r.choice([1, 3])                # how far time goes in a step, at most
        self.hears = self.rnd() < .5                  # whether proposers take the clock of every answer
        self.deaf = self.rnd() < .3                   # whether proposers learn nothing from a refusal
        self.faulty = self.rnd() < p['faulty']
        skews = r.choice([[0, 0, 0], [0, -25, 25], [-40, 0, 3], [-200, 0, 100]])
        rates = [1 - DRIFT, 1, 1 + DRIFT]
        self.keys = [0] if p['locks'] else r.choice([[0], [0, 1], [0, 1, 2]])
        width = r.choice(p['widths'])
        self.wanted = max(width, r.choice([3, 4]))
        self.free = list(NAMES)
        self.node = {}
        slots = [Slot('STABLE', self.new_node(), None) for _ in range(width)]
        self.rows = [Row(0, slots)]
        self.rows[0].batch = None
        self.reported = None                          # the row version for which its heir has reported to be complete
        self.dead, self.silent = set(), set()
        self.deaths = 0
        self.proposers = [Proposer(i, skews[i], r.choice(rates)) for i in range(3)]
        self.messages = []
        self.operations = []
        self.told = []
        self.holders = []
        self.actions = []                             # guarded actions on their way: (holder, token)
        self.acted, self.highest_token = [], 0
        self.purge = None
        self.commits = []                             # decided purges: (version, nodes that still have to drop)
        self.frames = {}
        self.weights()

    def new_node(self):
        name = self.free.pop(0)
        self.node[name] = Node(name, self.r.choice([1 - DRIFT, 1, 1 + DRIFT]))
        return name

    def pick(self, among):
        return among[int(self.rnd() * len(among))]

    # -- time ---------------------------------------------------------------------------------------------------------

    def wall(self, proposer):
        return self.now + proposer.skew

    def mono(self, rated):
        return self.now * rated.rate

    def version(self, proposer, above=0):
        """A fresh version of a proposer: unique, above its former ones, its clock and a given one."""
        proposer.tick = max(proposer.tick + 1, self.wall(proposer), above // SLOTS + 1)
        return proposer.tick * SLOTS + proposer.number

    # -- callers ------------------------------------------------------------------------------------------------------

    def begin(self):
        """A caller begins an operation: its first coordinator makes the id, with its clock."""
        r, p = self.r, self.profile
        first = self.pick(self.proposers)
        key = self.pick(self.keys)
        kind = {'p': 'put', 'r': 'read', 'c': 'cas', 'd': 'delete', 't': 'take', 'v': 'swap'}[self.pick(p['kinds'])]
        op = Operation(len(self.operations) + 1, key, kind, self.clock, self.version(first))
        if kind == 'swap':                            # replaces the revision that an earlier answer has shown
            known = [o.history[-1].revision for o in self.told if o.key == key and o.history]
            op.expected = self.pick(known[-3:]) if known else -1
            op.value = self.pick([1, 2])
        if kind == 'put' or kind == 'cas':
            op.value = self.pick([1, 2])
            op.ttl = self.pick([15, 40, 80]) if self.rnd() < p['ttl'] else None
            op.expected = self.pick([None, 1, 2])     # None: put if absent
        if kind == 'take':
            op.handle, op.lease = op.id, self.pick([20, 60, 150, 300])
            holder = Holder(op, self.pick([1 - DRIFT, 1, 1 + DRIFT]))
            holder.start = self.mono(holder)
            self.holders.append(holder)
        self.operations.append(op)
        self.attempt(op, first)

    def attempt(self, op, proposer):
        op.sent += 1
        if self.rnd() >= self.loss:
            self.messages.append(('call', proposer, Call(op)))

    def repeat(self):
        """A caller, or its coordinator, repeats a call at another proposer; the former attempt may still be on its way."""
        waiting = [o for o in self.operations[-12:] if o.outcome is None and o.sent < 5]
        if waiting:
            op = self.pick(waiting)
            if op.nothing == op.sent and self.rnd() < .5:
                op.outcome, op.end = 'not done', self.clock      # UnavailableException
            else:
                self.attempt(op, self.pick(self.proposers))

    def lock_step(self):
        """A process that holds the lock renews it, releases it, or acts on the guarded resource."""
        held = [h for h in self.holders if self.believes(h)]
        k = self.rnd()
        if self.actions and k < .4:
            self.act(self.actions.pop(int(self.rnd() * len(self.actions))))
        elif held:
            holder = self.pick(held)
            first = self.pick(self.proposers)
            if k < .7:
                self.actions.append((holder, holder.token))
            else:
                kind = 'renew' if k < .9 else 'unlock'
                op = Operation(len(self.operations) + 1, 0, kind, self.clock, self.version(first))
                op.handle, op.token, op.lease = holder.op.handle, holder.token, holder.lease
                op.holder, op.begun = holder, self.mono(holder)
                holder.released = kind == 'unlock'
                self.operations.append(op)
                self.attempt(op, first)

    def believes(self, holder):
        return (holder.token is not None and not holder.released
                and self.mono(holder) < holder.start + holder.lease * (1 - DRIFT if self.bug != 'leasemargin' else 1))

    def check_holders(self):
        held = [h for h in self.holders if self.believes(h)]
        if len(held) > 1:
            raise Violation('two holders')

    def act(self, action):
        """The resource takes an action unless it has seen a greater token."""
        holder, token = action
        if token >= self.highest_token:
            self.highest_token = token
            self.acted.append(holder)

    def tell(self, call, result):
        """An answer reaches the caller, or is lost."""
        if self.rnd() < self.loss:
            return
        op = call.op
        kind = result[0]
        if kind == 'nothing':
            op.nothing += 1
            return
        if kind == 'unknown' or op.outcome is not None:
            return
        if kind == 'failed unrecorded':
            # Nothing keeps a second attempt from being executed: it counts only if there is none.
            if op.sent > 1 and self.bug != 'condtrust':
                op.nothing += 1
                return
            kind = 'failed'
        op.outcome, op.end, op.history, op.seen = kind, self.clock, result[1], result[2]
        self.told.append(op)
        if kind == 'done' and op.kind == 'take':
            holder = next(h for h in self.holders if h.op is op)
            holder.token = op.history[-1].revision
            if self.bug == 'leasestart':
                holder.start = self.mono(holder)
            self.check_holders()
        if kind == 'done' and op.kind == 'renew':
            op.holder.start = max(op.holder.start, op.begun if self.bug != 'leasestart' else self.mono(op.holder))
            self.check_holders()

    # -- proposers ----------------------------------------------------------------------------------------------------

    def kick(self, proposer, key):
        """Begins a round with the calls that wait for the key, if none is under way."""
        under_way = proposer.rounds.get(key)
        queue = proposer.queue.get(key)
        if not queue or under_way is not None and not under_way.over:
            return
        calls, proposer.queue[key] = queue[:3], queue[3:]
        self.round(proposer, key, calls, 0, None)

    def round(self, proposer, key, calls, tries, full):
        one = Round(proposer, key, calls, self.rows[proposer.view], tries)
        proposer.rounds[key] = one
        cached = proposer.cache.pop(key, None)
        single = calls[0].op if len(calls) == 1 else None
        if not full and single is not None and (single.kind == 'read' and self.rnd() < .8
                                                or single.kind in ('cas', 'swap') and self.rnd() < .25):
            one.stage = 'read'
            for n in one.row.nodes:
                self.send('read', n, one)
        elif cached is not None and cached[0].row is one.row and not full:
            former, nodes = cached
            one.ballot, one.cached = former.next, True
            one.promised = {n: former.state for n in nodes}
            if self.count(one.row.telling, one.promised) >= one.row.majority:
                self.propose(one)
            else:
                self.prepare(one)
        else:
            self.prepare(one)

    def prepare(self, one):
        one.cached, one.promised = False, {}
        p = one.proposer
        one.ballot = p.again or self.version(p)       # again: the mutation reuse
        p.last, p.again = one.ballot, 0
        for n in one.row.nodes:
            self.send('prepare', n, one, one.ballot)

    def count(self, slots, have, need_all=True):
        """How many slots have answered; a moving one has if both of its nodes have."""
        total = 0
        for nodes in slots:
            if nodes is not None:
                total += all(n in have for n in nodes) if need_all else any(n in have for n in nodes)
        return total

    def propose(self, one):
        """A majority has promised: applies the calls to the highest accepted state, and sends it to all that promised."""
        p = one.proposer
        state = max(one.promised.values(), key=lambda s: (s.ballot, len(s.history)))
        fence = max(one.fences.values(), default=0)
        if state.ballot == 0:
            state = state._replace(evicted=0 if self.bug == 'purgering' else fence)
        if one.cached and any(c.op.kind == 'take' and state.lock and state.lock[0] != c.op.handle for c in one.calls):
            one.over = True                           # no ages come with a promise that an accept brought
            return self.round(p, one.key, one.calls, one.tries, True)
        if state.present and state.expiry is not None and state.expiry <= self.wall(p) and self.bug != 'expireonly':
            revision = self.revision(p, state, fence, 0)
            state = state._replace(present=False, value=None, expiry=None, revision=revision,
                                   history=state.history + (Change(0, 'expiry', False, None, revision),))
        for call in one.calls:
            state = self.apply(one, call, state, fence)
        for call in [c for c in one.calls if c.result[0] == 'nothing']:
            self.tell(call, call.result)
            one.calls.remove(call)
        if self.bug == 'dupnoaccept':
            for call in [c for c in one.calls if c.result[-1] == 'repeat']:
                self.tell(call, call.result)
                one.calls.remove(call)
        if not one.calls:
            one.over = True
            return
        for call in one.calls:
            call.accept_sent = True
        one.state = state._replace(ballot=one.ballot)
        one.stage = 'accept'
        one.next = self.version(p, one.ballot) if self.rnd() < .5 else 0
        for n in list(one.promised):
            self.send_accept(n, one)

    def revision(self, p, state, fence, since):
        stamps = [e[1] for e in state.ring]
        return self.version(p, max([state.revision, state.evicted, fence, since] + stamps))

    def apply(self, one, call, state, fence):
        """Applies one call to a state and keeps what its caller is to be told once the state is chosen."""
        op, p = call.op, one.proposer
        if op.kind == 'read':
            present = state.present
            if self.bug in ('expireonly', 'expirelocal') and state.expiry is not None and state.expiry <= self.wall(p):
                present = False
            call.result = ('value', state.history, (present, state.value if present else None))
            return state
        hit = [e for e in state.ring if e[0] == op.id]
        if hit:
            call.result = (hit[0][2], hit[0][3], None, 'repeat')
            return state
        if state.evicted > op.since and self.bug != 'ringforget':
            call.result = ('nothing' if not call.accept_sent else 'unknown',)
            return state
        holds = True
        if op.kind == 'cas':
            holds = state.value == op.expected
        elif op.kind == 'swap':
            holds = state.revision == op.expected
        elif op.kind == 'take':
            holds = state.lock is None or self.lease_over(one, state)
        elif op.kind in ('renew', 'unlock'):
            holds = state.lock is not None and state.lock[:2] == (op.handle, op.token)
        if not holds:
            call.result = ('failed', state.history, (state.present, state.value))
            if self.bug == 'condring' or op.kind == 'swap':   # a revision that has passed never comes back
                return state
            stamp = state.revision if self.bug == 'condstamp' else self.revision(p, state, fence, op.since)
            return self.remember(state, op, stamp, 'failed')
        revision = self.revision(p, state, fence, op.since if self.bug != 'sincelow' else 0)
        if op.kind in ('put', 'cas', 'swap'):
            expiry = None if op.ttl is None else self.wall(p) + op.ttl
            state = state._replace(present=True, value=op.value, expiry=expiry, revision=revision)
        elif op.kind == 'delete':
            state = state._replace(present=False, value=None, expiry=None, revision=revision)
        elif op.kind == 'take':
            token = state.lock[1] if state.lock and self.bug == 'tokenkept' else revision
            state = state._replace(present=True, value=op.handle, lock=(op.handle, token, op.lease, revision),
                                   revision=revision)
        elif op.kind == 'renew':
            lock = state.lock if self.bug == 'stampkept' else state.lock[:3] + (revision,)
            state = state._replace(lock=lock)         # not a change that a caller can see: the token stays
        else:
            state = state._replace(present=False, value=None, lock=None, revision=revision)
        stamp = self.revision(p, state, fence, op.since) if op.kind == 'renew' else revision
        shown = state.lock[1] if op.kind == 'take' else revision
        change = Change(op.id, op.kind, state.present, state.value, shown)
        state = state._replace(history=state.history + (change,))
        call.result = ('done', state.history, None)
        return self.remember(state, op, stamp, 'done')

    def remember(self, state, op, stamp, outcome):
        ring, evicted = state.ring + ((op.id, stamp, outcome, state.history),), state.evicted
        if len(ring) > self.ring:
            evicted, ring = max(evicted, ring[0][1]), ring[1:]
        return state._replace(ring=ring, evicted=evicted)

    def lease_over(self, one, state):
        """Whether one replica has held the same lease stamp for longer than the lease, by its own clock."""
        lock = state.lock
        margin = 1 if self.bug == 'leasemargin' else 1 + DRIFT
        return any(age[0] == lock[3] and age[1] > lock[2] * margin for age in one.ages.values())

    def finish(self, one):
        one.over = True
        if one.next:
            one.proposer.cache[one.key] = (one, one.next_at)
        for call in one.calls:
            self.tell(call, call.result)
        self.kick(one.proposer, one.key)

    def again(self, one, full=True):
        """A round has failed: the next one has a larger ballot, or the calls end without an answer."""
        one.over = True
        if one.tries < 4 and self.rnd() < .7:
            self.round(one.proposer, one.key, one.calls, one.tries + 1, full)
        else:
            for call in one.calls:
                self.tell(call, ('unknown',) if call.accept_sent else ('nothing',))

    # -- answers ------------------------------------------------------------------------------------------------------

    def answer(self, one, node, kind, *v):
        if self.rnd() < self.loss:
            return
        p = one.proposer
        if kind == 'nack' and not self.deaf:
            p.tick = max(p.tick, v[1] // SLOTS)
        if one.over:
            if kind == 'accepted' and one.stage == 'accept' and v[0] == one.ballot and v[1]:
                one.next_at[node] = True                 # a late one has given the next promise too
            return
        getattr(self, 'on_' + kind)(one, node, *v)

    def on_stale(self, one, node, view):
        p = one.proposer
        p.view = max(p.view, view)
        if view <= one.row.version:
            return
        if self.bug in ('carry', 'carryonly') and one.stage == 'accept':
            one.row = self.rows[p.view]
            for n in one.row.nodes:
                self.send_accept(n, one)
            return
        self.again(one, one.stage != 'read')

    def on_nack(self, one, node, ballot, highest):
        if one.ballot == ballot and one.stage != 'read' and self.rnd() < .7:
            self.again(one)

    def on_promise(self, one, node, ballot, state, fence, age):
        if one.ballot != ballot or one.stage == 'read' or node in one.promised:
            return
        one.promised[node], one.fences[node] = state, fence
        if age is not None:
            one.ages[node] = age
        if self.hears:
            one.proposer.tick = max(one.proposer.tick, state.ballot // SLOTS)
        if one.stage == 'accept':
            self.send_accept(node, one)               # a late promise gets the accept too
            return
        telling = one.row.telling
        if self.bug == 'fillread':
            telling = one.row.accepting
        if self.count(telling, one.promised, self.bug != 'halfpromise') >= self.majority(one.row):
            self.propose(one)

    def on_accepted(self, one, node, ballot, next_promised):
        if one.ballot != ballot or one.stage != 'accept':
            return
        one.accepted.add(node)
        if next_promised:
            one.next_at[node] = True
        if self.count(one.row.accepting, one.accepted, self.bug != 'halfpair') >= self.majority(one.row):
            self.finish(one)

    def majority(self, row):
        return min(row.majority, 2) if self.bug == 'growmaj' else row.majority

    def on_held(self, one, node, state):
        """A one-round read: a majority of slots with one ballot is a chosen state."""
        if one.stage != 'read':
            return
        one.read[node] = state
        ballots = {}
        for slot, nodes in zip(one.row.slots, one.row.telling):
            if nodes is None:
                if self.bug != 'fillread':
                    continue
                nodes = (slot.heir,)
            if self.bug == 'readpair' and len(nodes) == 2:
                nodes = (slot.heir if slot.phase == 'BOTH' else slot.owner,)
            found = {one.read[n].ballot for n in nodes if n in one.read}
            if all(n in one.read for n in nodes) and len(found) == 1:
                ballots.setdefault(found.pop(), []).append(one.read[nodes[0]])
        for states in ballots.values():
            if len(states) >= self.majority(one.row):
                return self.shown(one, states[0])
        if self.bug == 'readmax' and sum(map(len, ballots.values())) >= one.row.majority:
            return self.shown(one, max((s[0] for s in ballots.values()), key=lambda s: s.ballot))
        if len(one.read) >= one.row.majority and self.rnd() < .3:
            self.again(one)

    def shown(self, one, state):
        op = one.calls[0].op
        present = state.present
        if present and state.expiry is not None and state.expiry <= self.wall(one.proposer):
            if self.bug != 'expirelocal':
                return self.again(one)                # expired: an accept decides first
            present = False
        value = state.value if present else None
        if op.kind == 'read':
            one.over = True
            self.tell(one.calls[0], ('value', state.history, (present, value)))
        elif op.expected == (state.revision if op.kind == 'swap' else value):
            self.again(one)
        elif op.kind == 'swap' and self.bug != 'condblind' and (
                state.evicted > op.since or any(e[0] == op.id for e in state.ring)):
            self.again(one)                           # a former attempt may have been executed: the ring tells
        elif op.kind == 'swap':
            one.over = True
            self.tell(one.calls[0], ('failed', state.history, (present, value)))
        else:
            one.over = True
            self.tell(one.calls[0], ('failed unrecorded', state.history, (present, value)))
        self.kick(one.proposer, one.key)

    # -- messages -----------------------------------------------------------------------------------------------------

    def send(self, kind, node, one, *v):
        if self.rnd() < (.5 if node == self.cut else self.loss):
            return
        message = (kind, node, one, one.row, *v)
        self.messages.append(message)
        if self.rnd() < .04:
            self.messages.append(message)

    def send_accept(self, node, one):
        """Accepts of several keys to one node share a frame, as long as it has not left."""
        if self.rnd() < (.5 if node == self.cut else self.loss):
            return
        item = (one, one.row, one.ballot, one.state, one.next)
        frame = self.frames.get((one.proposer.number, node))
        if frame is not None and len(frame) < 4 and self.rnd() < .6:
            frame.append(item)
            return
        frame = [item]
        self.frames[one.proposer.number, node] = frame
        self.messages.append(('accept', node, frame))
        if self.rnd() < .04:
            self.messages.append(('accept', node, frame))

    def deliver(self, message):
        kind, to = message[:2]
        if kind == 'call':
            to.queue.setdefault(message[2].op.key, []).append(message[2])
            return self.kick(to, message[2].op.key) if self.rnd() < .7 else None
        node = self.node[to]
        if to in self.silent:
            return
        if kind == 'accept':
            return self.accept(node, message)
        one, row = message[2:4]
        if self.refuses(node, one, row):
            return
        if kind == 'read' and one.key in node.poisoned and self.bug != 'poisonread':
            return
        if kind == 'read':
            return self.answer(one, to, 'held', node.entry(one.key))
        self.promise(node, one, message)

    def refuses(self, node, one, row):
        """The row check; a copying heir is closed until it has opened."""
        if node.view != row.version and self.bug != 'nocheck':
            self.answer(one, node.name, 'stale', node.view)
            return True
        return self.is_closed(node)

    def is_closed(self, node):
        return not node.complete and node.opened != node.view and self.bug != 'openearly'

    # -- replicas -----------------------------------------------------------------------------------------------------

    def highest(self, node, key):
        """The highest promised ballot.  With a split prepare the accepted one is looked at later."""
        promise = node.promises.get(key)
        if self.bug == 'flooror':
            found = node.floor if promise is None else promise[0]
        else:
            found = node.floor if promise is None else max(node.floor, promise[0])
        return found if self.split else max(found, node.entry(key).ballot)

    def promise(self, node, one, message):
        key, ballot = one.key, message[4]
        if key in node.pending and self.bug != 'race':
            self.messages.append(message)             # waits until the accept is written
            return
        highest = self.highest(node, key)
        refused = ballot < highest if self.bug == 'reuse' else ballot <= highest
        if refused or ballot <= node.fence and self.bug != 'purgenofence':
            return self.answer(one, node.name, 'nack', ballot, max(highest, node.fence))
        self.raise_bound(node, ballot)
        if self.bug == 'readfirst':
            node.reads.append((one, key, ballot, node.entry(key), node.view))
            return
        node.promises[key] = (ballot, node.view)
        if self.split and self.rnd() < .7:
            node.reads.append((one, key, ballot, None, node.view))
        else:
            self.second_half(node, (one, key, ballot, None, node.view))

    def second_half(self, node, read):
        """Reads the accepted state after the promise, and answers."""
        one, key, ballot, early, view = read
        state = early or node.entry(key)
        if view != node.view and self.bug != 'splitrow':
            return self.answer(one, node.name, 'stale', node.view)
        if early is not None:                         # the mutation readfirst
            if ballot <= self.highest(node, key):
                return
            node.promises[key] = (ballot, node.view)
        doubt = node.poisoned.get(key)
        if doubt is not None and doubt.ballot > state.ballot and self.bug != 'poison':
            state = doubt                             # it may be written, and it may appear later
        if state.ballot >= ballot and self.split and self.bug != 'splitblind':
            return self.answer(one, node.name, 'nack', ballot, state.ballot)
        age = None
        if state.lock is not None and key in node.ages:
            stamp, since = node.ages[key]
            age = (stamp, self.mono(node) - since)
        self.answer(one, node.name, 'promise', ballot, state, node.fence, age)

    def raise_bound(self, node, ballot):
        if ballot > node.bound and self.bug != 'boundless':
            node.bound = ballot + self.pick([0, 24 * SLOTS])

    def accept(self, node, message):
        """A frame of accepts: each item is judged alone; those let in are written together."""
        group, refused = [], []
        for item in message[2]:
            one, row, ballot, state, following = item
            key = one.key
            if self.refuses(node, one, row):
                continue
            entry = node.entry(key)
            if entry.ballot == ballot and key not in node.pending:
                self.answer(one, node.name, 'accepted', ballot, node.promises.get(key) == (following, node.view))
                continue
            promise = node.promises.get(key)
            exact = promise is not None and promise[0] == ballot
            if self.tag and exact and self.bug not in ('carry', 'tagless'):
                exact = promise[1] == node.view
            if self.bug in ('carry', 'noexact'):
                exact = ballot >= self.highest(node, key)
            lower = ballot <= node.fence and self.bug != 'purgenofence' or ballot <= entry.ballot and not self.split
            if not exact or lower or key in node.pending:
                refused.append(item)
                continue
            group.append(item)
            node.pending[key] = group
            if self.bug == 'ackearly':
                self.answer(one, node.name, 'accepted', ballot, False)
        for one, row, ballot, state, following in refused:
            if self.bug == 'frameack' and group:
                self.answer(one, node.name, 'accepted', ballot, False)
            else:
                self.answer(one, node.name, 'nack', ballot, max(self.highest(node, one.key), node.fence))

    def write(self, node):
        """Store.apply of one group: all or, if it fails, nobody knows."""
        groups = list({id(g): g for g in node.pending.values()}.values())
        if not groups:
            return
        group = self.pick(groups)
        failed = self.faulty and self.rnd() < .1
        for one, row, ballot, state, following in group:
            node.pending.pop(one.key, None)
            if failed:
                if self.rnd() < .3:
                    self.put(node, one.key, state)
                elif self.rnd() < .7:
                    node.doubtful.append((one.key, state))
                node.poisoned[one.key] = state
                if self.bug == 'partack' and self.rnd() < .5:
                    self.answer(one, node.name, 'accepted', ballot, False)
                continue
            self.put(node, one.key, state)
            node.poisoned.pop(one.key, None)
            given = False
            if following and node.promises.get(one.key, (0,))[0] == ballot:
                self.raise_bound(node, following)
                node.promises[one.key] = (following, node.view)
                given = True
            self.answer(one, node.name, 'accepted', ballot, given)

    def put(self, node, key, state):
        """The store's merge by version."""
        before = node.entry(key)
        if state.ballot <= before.ballot:
            return
        node.store[key] = state
        if node.seal is not None and state.ballot <= node.seal[0]:
            node.seal[1] = True
        if state.lock is None:
            node.ages.pop(key, None)
        elif node.ages.get(key, (None,))[0] != state.lock[3]:
            node.ages[key] = (state.lock[3], self.mono(node))

    def evict(self, node):
        """The table of promises is full: a promise becomes a part of the floor."""
        keys = [k for k in node.promises if k not in node.pending]
        if keys:
            ballot, view = node.promises.pop(self.pick(keys))
            if self.bug != 'evict':
                node.floor = max(node.floor, ballot)

    def kill(self, node):
        """A kill and restart: what was being written may be on the disk or not."""
        if self.bug == 'rebuild' and self.rnd() < .5:
            return self.rebuild(node)
        for group in {id(g): g for g in node.pending.values()}.values():
            for one, row, ballot, state, following in group:
                if self.rnd() < .4:
                    self.put(node, one.key, state)
        for key, state in node.doubtful:
            if self.rnd() < .6:
                self.put(node, key, state)
        node.pending, node.promises, node.poisoned, node.doubtful, node.reads = {}, {}, {}, [], []
        node.floor = node.bound if self.bug != 'nofloor' else 0
        node.opened, node.seal = None, None
        node.ages = {k: (s.lock[3], self.mono(node)) for k, s in node.store.items() if s.lock is not None}

    def rebuild(self, node):
        """The mutation: an empty disk, refilled from all others, without a new row."""
        others = [self.node[n] for n in self.rows[node.view].nodes if n != node.name]
        if any(o.view != node.view or o.pending for o in others):
            return
        view, name = node.view, node.name
        node.__init__(name, node.rate)
        node.view = view
        for other in others:
            node.fence = max(node.fence, other.fence)
            for key, state in other.store.items():
                self.put(node, key, state)

    def kill_proposer(self, p):
        for one in p.rounds.values():
            one.over = True
        p.queue, p.cache, p.rounds = {}, {}, {}
        if self.bug == 'reuse':
            p.again = p.last

    # -- rows ---------------------------------------------------------------------------------------------------------

    def install(self, node):
        """Installs a newer row, under the exclusive lock: no accept is being written."""
        newest = len(self.rows) - 1
        if node.view == newest or node.name in self.silent or node.name in self.dead:
            return
        if node.pending and self.bug != 'installrace':
            return
        node.view = newest if self.rnd() < .4 else node.view + 1
        if self.bug != 'carry' and not self.tag:
            for ballot, view in node.promises.values():
                node.floor = max(node.floor, ballot)
            node.promises = {}
        row = self.rows[node.view]
        node.seal = None
        if any(s.heir == node.name and s.phase != 'STABLE' for s in row.slots):
            if node.batch != row.batch:               # a new batch: what is left of an earlier ownership goes
                node.batch, node.complete = row.batch, False
                if self.bug != 'leftover':
                    node.store, node.purged, node.doubtful, node.ages = {}, {}, [], {}
                    node.fence = 0
            node.opened, node.copied = None, set()

    def sources(self, row):
        """The slot that is copied, its heir, and the nodes that it is copied from."""
        for i, slot in enumerate(row.slots):
            others = [s.owner for j, s in enumerate(row.slots) if j != i]
            if slot.phase == 'FILL':
                return slot.heir, others[:1] if self.bug == 'onesource' else others
            if slot.phase == 'GROW' and row.width >= 3 and self.bug != 'growone':
                return slot.heir, others + [slot.owner]
            if slot.phase in ('COPY', 'GROW'):
                return slot.heir, [slot.owner]
        return None, []

    def copy(self):
        """The heir opens, or fetches one key from one source; both carry the row version."""
        row = self.rows[-1]
        heir, sources = self.sources(row)
        if heir is None:
            return
        heir = self.node[heir]
        source = self.node[self.pick(sources)]
        if heir.view != row.version or source.view != row.version or source.name in self.silent or heir.complete:
            return
        if heir.opened != row.version:
            owner = row.slots[[i for i, s in enumerate(row.slots) if s.heir == heir.name][0]].owner
            if owner in sources:
                source = self.node[owner]
                if source.view != row.version or source.name in self.silent:
                    return
            heir.opened = row.version
            heir.fence = max(heir.fence, source.fence)
            return
        key = self.pick(self.keys)
        entry = source.entry(key)
        if entry.ballot:
            self.put(heir, key, entry)
        elif len(entry.history) > len(heir.purged.get(key, ())):
            heir.purged[key] = entry.history
        heir.copied.add((source.name, key))
        if len(heir.copied) == len(sources) * len(self.keys):
            if self.bug != 'heirfence':
                heir.fence = max([heir.fence] + [self.node[s].fence for s in sources])
            is_fill = row.slots[[i for i, s in enumerate(row.slots) if s.heir == heir.name][0]].phase == 'FILL'
            if 'floor' in self.fixes and self.bug != ('fillfloor' if is_fill else 'heirfloor'):
                for s in sources:
                    promised = [p[0] for p in self.node[s].promises.values()]
                    heir.floor = max([heir.floor, self.node[s].floor] + promised)
                heir.bound = max(heir.bound, heir.floor)
            heir.complete = True
            self.reported = row.version

    def add_row(self, slots, batch):
        row = Row(len(self.rows), slots)
        row.batch = batch
        self.rows.append(row)
        self.reported = None

    def with_slot(self, i, *slots):
        old = self.rows[-1].slots
        return old[:i] + slots + old[i + 1:]

    def topology(self):
        """One command of the driver, or an operator's word that a node is dead."""
        row = self.rows[-1]
        i = next((i for i, s in enumerate(row.slots) if s.phase != 'STABLE'), None)
        if i is None:
            self.start_batch(row)
        else:
            self.advance(row, i, row.slots[i])
        for n in self.node.values():
            if self.rnd() < self.burst:
                self.install(n)

    def start_batch(self, row):
        action = self.pick(self.profile['actions'])
        owners = [s.owner for s in row.slots]
        lost = [i for i, n in enumerate(owners) if n in self.dead]
        if action == 'fill' and not lost and row.width > 1 and self.deaths < 2 and self.free:
            self.declare_dead(self.pick(owners))
            return
        if lost:
            heir = self.heir(owners)
            if heir:
                self.add_row(self.with_slot(lost[0], Slot('FILL', owners[lost[0]], heir)), len(self.rows))
            return
        heir = self.heir(owners)
        if heir is None:
            return
        if action == 'move':
            i = int(self.rnd() * row.width)
            self.add_row(self.with_slot(i, Slot('COPY', owners[i], heir)), len(self.rows))
        elif action == 'grow' and row.width < self.wanted:
            if self.bug != 'nogrowfence' and any(self.node[n].view < row.version for n in owners):
                return
            i = row.width - 1
            self.add_row(self.with_slot(i, Slot('GROW', owners[i], heir)), len(self.rows))

    def heir(self, owners):
        """A node for a slot: one that has been a replica before, or a new one."""
        former = [n for n in self.node if n not in owners and n not in self.dead]
        if former and (self.rnd() < .6 or not self.free):
            return self.pick(former)
        return self.new_node() if self.free else None

    def declare_dead(self, name):
        self.deaths += 1
        self.dead.add(name)
        if self.rnd() < .5:
            self.silent.add(name)                     # else it still runs, with the row that it has

    def advance(self, row, i, slot):
        phase, o, n = slot
        if self.bug == 'soon' and self.rnd() < .3 and self.reported != row.version:
            self.node[n].complete, self.reported = True, row.version
        k = self.rnd()
        if k < .03 and 'fill' in self.profile['actions'] and self.deaths < 2 and row.width > 1:
            self.declare_dead(self.pick([o, n]) if phase != 'FILL' else n)
        owner, heir = (Slot('STABLE', o, None),), (Slot('STABLE', n, None),)
        if phase == 'FILL':
            if n in self.dead:
                new = self.heir([s.owner for s in row.slots])
                if new:
                    self.add_row(self.with_slot(i, Slot('FILL', o, new)), len(self.rows))
            elif self.reported == row.version:
                self.add_row(self.with_slot(i, *heir), None)
        elif n in self.dead:
            self.add_row(self.with_slot(i, *owner), None)
        elif o in self.dead:
            if phase in ('COPY', 'GROW'):
                self.add_row(self.with_slot(i, Slot('FILL', o, n)), row.batch)
                self.node[n].complete = False
            else:
                self.add_row(self.with_slot(i, *heir), None)
        elif phase in ('COPY', 'GROW'):
            if k < .12:
                self.add_row(self.with_slot(i, *owner), None)
            elif self.reported == row.version:
                if phase == 'COPY':
                    self.add_row(self.with_slot(i, Slot('BOTH', o, n)), row.batch)
                else:
                    self.add_row(self.with_slot(i, owner[0], heir[0]), None)
        elif phase == 'BOTH':
            if k < .15:
                self.add_row(self.with_slot(i, Slot('UNDO', o, n)), row.batch)
            elif self.node[o].view == row.version or self.bug == 'finish':
                self.add_row(self.with_slot(i, *heir), None)
        elif phase == 'UNDO' and self.node[n].view == row.version:
            self.add_row(self.with_slot(i, *owner), None)

    # -- purge --------------------------------------------------------------------------------------------------------

    def purge_step(self):
        """One step of the two-phase purge, or of a node that learns a decision."""
        if self.commits and self.rnd() < .5:
            version, row, left = self.pick(self.commits)
            name = self.pick(row.nodes)
            if name in left and name not in self.silent:
                left.discard(name)
                self.drop(self.node[name], version)
            return
        row = self.rows[-1]
        purge = self.purge
        if purge is None or purge['row'] is not row or self.rnd() < .02:
            self.purge = None
            if row.is_stable:
                version = (self.now - self.pick([0, 3, 10, 40])) * SLOTS + SLOTS - 1
                self.purge = dict(version=version, row=row, seen={}, votes=set())
            return
        version = purge['version']
        name = self.pick(row.nodes)
        node = self.node[name]
        if name in self.silent or node.view != row.version:
            return
        if name not in purge['seen']:
            if node.seal is None or node.seal[0] != version:
                node.seal = [version, False]
            elif not node.poisoned or self.bug == 'poisonvote':
                purge['seen'][name] = {k: node.entry(k).ballot for k in self.keys}
            return
        seen = purge['seen']
        enough = row.majority if self.bug == 'purgemaj' else row.width
        if len(seen) < enough or name in purge['votes']:
            return
        for key in self.keys:
            newest = max((s[key] for s in seen.values() if s[key] <= version), default=0)
            if any(s[key] < newest for s in seen.values()):
                self.purge = None                     # one lacks an older entry: the session repairs, and ends
                p = self.pick(self.proposers)
                op = Operation(len(self.operations) + 1, key, 'read', self.clock, self.version(p))
                self.operations.append(op)
                op.sent = 1
                p.queue.setdefault(key, []).append(Call(op))
                return
        waits = any(item[2] <= version for group in node.pending.values() for item in group)
        if node.seal is None or node.seal != [version, False] or waits or node.poisoned and self.bug != 'poisonvote':
            self.purge = None
            return
        node.fence = max(node.fence, version)
        purge['votes'].add(name)
        if len(purge['votes']) >= enough:
            self.commits.append((version, row, set(row.nodes)))
            self.purge = None

    def drop(self, node, version):
        for key, state in list(node.store.items()):
            dead = not state.present and state.ballot <= version and key not in node.pending
            if dead and 'stamps' in self.fixes and self.bug != 'purgeballot':
                dead = max([state.revision, state.evicted] + [e[1] for e in state.ring]) <= version
            if dead:
                node.purged[key] = state.history
                del node.store[key]

    # -- the schedule -------------------------------------------------------------------------------------------------

    def weights(self):
        p, r = self.profile, self.r
        steps = [(self.begin, r.choice([2, 4, 8])), (self.step_deliver, 58), (self.step_write, 12),
                 (self.step_install, 5 if p['topology'] else 0), (self.step_learn, 2 if p['topology'] else 0),
                 (self.repeat, 3 * p['repeats']), (self.step_kill, p['crash'] * r.choice([.4, 1.3])),
                 (self.step_evict, r.choice([1, 6])), (self.step_give_up, 2), (self.step_kick, 3),
                 (self.topology, p['topology'] * r.choice([.6, 1.5])), (self.copy, 9 if p['topology'] else 0),
                 (self.purge_step, p['purge']), (self.lock_step, 8 if p['locks'] else 0),
                 (self.step_second_half, 6 if self.split else 0),
                 (self.step_merge, 2 if self.bug == 'merge' else 0)]
        self.steps = [s for s, w in steps if w]
        self.sums = list(itertools.accumulate(w for s, w in steps if w))

    def any_node(self):
        return self.node[self.pick(list(self.node))]

    def step_deliver(self):
        m = self.messages
        if m:
            i = int(self.rnd() * len(m))
            m[i], m[-1] = m[-1], m[i]
            message = m.pop()
            if message[0] == 'accept':
                self.frames.pop((message[2][0][0].proposer.number, message[1]), None)
            self.deliver(message)

    def step_write(self):
        busy = [n for n in self.node.values() if n.pending and n.name not in self.silent]
        if busy:
            self.write(self.pick(busy))

    def step_second_half(self):
        busy = [n for n in self.node.values() if n.reads and n.name not in self.silent]
        if busy:
            node = self.pick(busy)
            self.second_half(node, node.reads.pop(int(self.rnd() * len(node.reads))))

    def step_install(self):
        self.install(self.any_node())

    def step_learn(self):
        p = self.pick(self.proposers)
        p.view = min(p.view + 1, len(self.rows) - 1)

    def step_kill(self):
        if self.rnd() < .25:
            self.kill_proposer(self.pick(self.proposers))
        else:
            self.kill(self.any_node())

    def step_evict(self):
        self.evict(self.any_node())

    def step_kick(self):
        p = self.pick(self.proposers)
        self.kick(p, self.pick(self.keys))

    def step_give_up(self):
        p = self.pick(self.proposers)
        one = p.rounds.get(self.pick(self.keys))
        if one is not None and not one.over:
            self.again(one)

    def step_merge(self):
        """The mutation: anti-entropy merges the newer entry, as it does for puts."""
        nodes = [self.node[n] for n in self.rows[-1].nodes]
        a, b = self.pick(nodes), self.pick(nodes)
        if not self.is_closed(a) and not self.is_closed(b):
            key = self.pick(self.keys)
            if a.entry(key).ballot:
                self.put(b, key, a.entry(key))

    def run(self):
        """Runs the schedule; returns what it violates, or None."""
        try:
            for _ in range(self.r.choice([250, 450, 800])):
                self.clock += 1
                self.now += int(self.rnd() * (self.spread + 1))
                self.r.choices(self.steps, cum_weights=self.sums)[0]()
            self.check()
        except Violation as found:
            return str(found)
        return None

    # -- checkers -----------------------------------------------------------------------------------------------------

    def audit(self):
        """The histories that proposers may find from now on: of each majority that serves one row, after each write is
        done and before rows change."""
        for node in self.node.values():
            while node.pending and node.name not in self.silent:
                self.faulty = False
                self.write(node)
        for row in self.rows[-4:]:
            told = [i for i, nodes in enumerate(row.telling) if nodes is not None
                    and all(self.node[n].view == row.version and n not in self.silent
                            and not self.is_closed(self.node[n]) for n in nodes)]
            for some in itertools.combinations(told, row.majority):
                nodes = [self.node[n] for i in some for n in row.telling[i]]
                for key in self.keys:
                    if not any(key in n.poisoned for n in nodes):
                        yield key, max((n.entry(key) for n in nodes), key=lambda s: (s.ballot, len(s.history))).history

    def check(self):
        audits = list(self.audit())
        for key in self.keys:
            told = sorted((o for o in self.told if o.key == key), key=lambda o: len(o.history))
            for x, y in zip(told, told[1:]):
                if y.history[:len(x.history)] != x.history:
                    raise Violation('two histories')
            longest = told[-1].history if told else ()
            for where, history in audits:
                if where == key and history[:len(longest)] != longest:
                    raise Violation('lost at the end')
            histories = [h for where, h in audits if where == key] + [longest]
            for history in histories:
                self.check_history(key, history)
            self.check_expiry(told)
            self.check_order(told)
        if self.profile['locks']:
            self.check_resource()

    def check_history(self, key, history):
        ids = [c.id for c in history if c.id]
        if len(set(ids)) < len(ids):
            raise Violation('applied twice')
        visible = [c.revision for c in history if c.kind != 'renew']
        if any(x >= y for x, y in zip(visible, visible[1:])):
            raise Violation('revision goes back')
        for op in self.operations:
            if op.id in ids and op.outcome in ('failed', 'not done'):
                raise Violation('executed after "%s"' % op.outcome)

    def check_order(self, told):
        for x in told:
            if x.outcome == 'done' and x.history[-1].id != x.id:
                raise Violation('wrong result')
            if x.outcome == 'value':
                last = x.history[-1] if x.history else Change(0, '', False, None, 0)
                if x.seen != (last.present, last.value):
                    raise Violation('answer without a decision')
            for y in told:
                if x.end < y.start and (len(x.history) > len(y.history) or
                                        y.outcome == 'done' and len(x.history) >= len(y.history)):
                    raise Violation('real-time order')

    def check_expiry(self, told):
        """No observer sees absent, then value, without a write between."""
        reads = [(o, tuple(c.id for c in o.history if c.id)) for o in told if o.outcome == 'value']
        for x, wrote in reads:
            if not x.seen[0]:
                for y, then in reads:
                    if y.seen[0] and wrote == then and x.end < y.start:
                        raise Violation('value, absent, value')

    def check_resource(self):
        longest = max((o.history for o in self.told), key=len, default=())
        place = {c.id: i for i, c in enumerate(longest) if c.kind == 'take'}
        order = [place[h.op.id] for h in self.acted if h.op.id in place]
        if any(x > y for x, y in zip(order, order[1:])):
            raise Violation('an older token after a newer')


# ---------------------------------------------------------------------------------------------------------------------
# Mutations: name -> (profile, variant or None, what is broken).

MUTATIONS = {
    'nofloor': ('still', None, 'a restart does not raise the floor to the bound'),
    'evict': ('still', None, 'an evicted promise does not raise the floor'),
    'ackearly': ('still', None, 'acknowledged before it is durable'),
    'race': ('still', None, 'a prepare is answered past a pending accept'),
    'carry': ('fill', None, 'an accept is carried over to the next row'),
    'carryonly': ('fill', None, 'as carry, but replicas drop promises, or compare their rows (expected: harmless)'),
    'noexact': ('fill', None, 'an accept does not need exactly the promised ballot'),
    'fillread': ('fill', None, 'the heir of FILL is counted as promised and read'),
    'halfpromise': ('move', None, 'one node of a pair counts as promised'),
    'halfpair': ('move', None, 'one node of a pair counts as accepted'),
    'readpair': ('move', None, 'a one-round read asks one node of a pair'),
    'readmax': ('still', None, 'a one-round read returns the highest, without agreement'),
    'merge': ('still', None, 'anti-entropy merges the newer entry'),
    'soon': ('move', None, 'the next phase before the heir is complete'),
    'finish': ('move', None, 'BOTH ends before the owner has installed it'),
    'onesource': ('fill', None, 'FILL copies from one other slot only'),
    'nocheck': ('move', None, 'no row check'),
    'installrace': ('move', None, 'a row is installed beside a pending accept'),
    'growmaj': ('grow', None, 'four slots: a majority of two'),
    'purgenofence': ('purge', None, 'neither prepare nor accept look at W'),
    'purgemaj': ('purge', None, 'a purge by a majority'),
    'purgering': ('purge', None, 'after a purge the ring is empty without evictedUpTo = W'),
    'ringforget': ('cond', None, 'evictedUpTo is not looked at'),
    'dupnoaccept': ('cond', None, 'an id that is found is not accepted again'),
    'reuse': ('still', None, 'a ballot is used twice'),
    'rebuild': ('still', None, 'a node that lost its disk is refilled from all others, and keeps its place in the row'),
    # new
    'heirfloor': ('move', None, 'the heir of a move or growth does not adopt the highest promise of its sources when it is complete'),
    'fillfloor': ('faulty', None, 'the heir of FILL does not'),
    'flooror': ('move', 'tag', 'the promise of a key stands in place of the floor, not beside it'),
    'heirfence': ('purge', None, 'the heir does not adopt the highest W of its sources when it is complete'),
    'openearly': ('mixed', None, 'a copying heir answers before it has opened'),
    'leftover': ('move', None, 'what is left of an earlier ownership is not dropped'),
    'nogrowfence': ('grow', None, 'a row grows again before all have installed it'),
    'growone': ('grow', None, 'a fourth slot is copied from the owner only'),
    'boundless': ('still', None, 'a promise does not raise the bound'),
    'frameack': ('still', None, 'a frame of accepts is acknowledged as a whole'),
    'partack': ('faulty', None, 'a failed write is acknowledged'),
    'poison': ('faulty', None, 'a promise after a failed write does not tell what may appear'),
    'poisonread': ('faulty', None, 'a key is read after a failed write, without a restart'),
    'poisonvote': ('faulty', None, 'a node with a failed write votes for a purge'),
    'purgeballot': ('purge', None, 'a purge looks at the ballot only, not at revisions and stamps'),
    'sincelow': ('cond', None, 'a revision need not be above since'),
    'condring': ('cond', None, 'a failed condition is not kept in the ring'),
    'condstamp': ('cond', None, 'a failed condition is kept with the former revision as its stamp'),
    'condtrust': ('cond', None, 'a failed condition of a one-round read counts though another attempt was sent'),
    'condblind': ('version', None, 'a failed revision of a one-round read counts without a look for the id in the ring'),
    'expirelocal': ('expiry', None, 'a read tells absent by its clock'),
    'expireonly': ('expiry', None, 'an identity change tells absent, but accepts the value'),
    'leasestart': ('lock', None, 'the lease counts from the answer'),
    'leasemargin': ('lock', None, 'no margin for drift'),
    'stampkept': ('lock', None, 'a renewal keeps the lease stamp'),
    'tokenkept': ('lock', None, 'a take-over keeps the token'),
    'tagless': ('move', 'tag', 'the accept does not compare the row of the promise'),
    'readfirst': ('still', 'split', 'a split prepare reads before it promises'),
    'splitrow': ('move', 'split', 'a split prepare does not compare the row again after it has read'),
    'splitblind': ('still', 'split', 'a split prepare answers with an accepted ballot above its own'),
}
PROFILE_OF = {name: m[0] for name, m in MUTATIONS.items()}
VARIANT_OF = {name: m[1] for name, m in MUTATIONS.items() if m[1]}
FIXES = ('floor', 'stamps')


def search(mutation, first, seeds, variant, profile, fixes, stop):
    began, found, where = time.time(), {}, None
    done = 0
    for seed in range(first, first + seeds):
        result = World(seed, mutation, variant, profile, fixes).run()
        done += 1
        if result:
            found[result] = found.get(result, 0) + 1
            where = seed if where is None else where
            if stop:
                break
            print('seed', seed, result, flush=True)
        if not stop and done % 2000 == 0:
            print('...', done, found, '%.0f s' % (time.time() - began), flush=True)
    name = mutation or 'as designed'
    text = 'first seed %d: %s' % (where, found) if found else 'not found in %d' % done
    print('%-13s %6d schedules in %4.0f s  %s' % (name, done, time.time() - began, text), flush=True)


def main():
    import argparse
    parser = argparse.ArgumentParser(description='Random schedules of atomic registers.')
    parser.add_argument('--seeds', type=int, default=1000)
    parser.add_argument('--from', dest='first', type=int, default=0)
    parser.add_argument('--mutation', action='append', default=[])
    parser.add_argument('--all', action='store_true', help='all mutations, one after the other')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--variant', choices=['drop', 'tag', 'split'])
    parser.add_argument('--profile', choices=sorted(PROFILES))
    parser.add_argument('--without', action='append', default=[], choices=FIXES, help='without a change of the design')
    parser.add_argument('--go-on', action='store_true', help='do not stop at the first seed of a mutation')
    args = parser.parse_args()
    if args.list:
        for name, (profile, variant, what) in MUTATIONS.items():
            print('%-13s %-7s %-6s %s' % (name, profile, variant or '', what))
        return
    fixes = tuple(f for f in FIXES if f not in args.without)
    for mutation in (list(MUTATIONS) if args.all else args.mutation or [None]):
        search(mutation, args.first, args.seeds, args.variant, args.profile, fixes, mutation and not args.go_on)


if __name__ == '__main__':
    main()
