"""Directed schedules on the model: each shows in a few steps what goes wrong without one rule, and that the design with
the rule survives the same steps.

    python3 atomic_scenarios.py [NAME ...]

Each line: scenario, variant, without the rule, with the rule."""
import sys
import atomic_model as model
from atomic_model import FIXES, SLOTS, Slot, World, Violation, Operation, Call, Holder, Row


class Script(World):
    """A world without chance: nothing is lost, and only what the script says happens."""

    def __init__(self, mutation=None, variant='drop', without=(), profile='still', width=3, ring=2):
        super().__init__(0, mutation, variant, profile, tuple(f for f in FIXES if f not in without))
        self.loss, self.cut, self.faulty, self.hears, self.ring, self.keys = 0, None, False, False, ring, [0]
        self.rnd = lambda: .99
        self.node.clear()
        self.free = list(model.NAMES)
        self.rows = [Row(0, [Slot('STABLE', self.new_node(), None) for _ in range(width)])]
        self.rows[0].batch = None
        for node in self.node.values():
            node.rate = 1
        for p in self.proposers:
            p.skew, p.rate = 0, 1

    def op(self, kind, p, value=None, expected=None, ttl=None, lease=None, rate=1):
        op = Operation(len(self.operations) + 1, 0, kind, self.clock, self.version(p), value=value, expected=expected,
                       ttl=ttl, lease=lease)
        if kind == 'take':
            op.handle = op.id
            holder = Holder(op, rate)
            holder.start = self.mono(holder)
            self.holders.append(holder)
        self.operations.append(op)
        self.clock += 1
        return op

    def hold(self, op):
        """An attempt whose message stays on its way."""
        op.sent += 1
        return Call(op)

    def arrive(self, call, p):
        p.queue.setdefault(0, []).append(call)
        self.kick(p, 0)
        return p.rounds[0]

    def call(self, op, p):
        return self.arrive(self.hold(op), p)

    def go(self, kind, nodes, one):
        """Delivers the messages of a round to some nodes, in order; accepts are written at once."""
        self.clock += 1
        for name in nodes:
            for m in list(self.messages):
                mine = m[0] == kind and m[1] == name and (m[2][0][0] is one if kind == 'accept' else m[2] is one)
                if mine:
                    self.messages.remove(m)
                    self.deliver(m)
                    while self.node[name].reads:
                        self.second_half(self.node[name], self.node[name].reads.pop())
                    if kind == 'accept' and self.node[name].pending:
                        self.write(self.node[name])

    def drop_messages(self):
        self.messages.clear()
        self.frames.clear()

    def whole(self, one, nodes='abc'):
        self.go('prepare', nodes, one)
        self.go('accept', nodes, one)
        self.drop_messages()

    def with_next(self, one, nodes):
        """As whole, but the accept asks for the next promise too."""
        self.rnd = lambda: .3
        self.whole(one, nodes)
        self.rnd = lambda: .99

    def row(self, slots, batch, nodes):
        self.add_row(slots, batch)
        for n in nodes:
            while self.node[n].view < len(self.rows) - 1:
                before = self.node[n].view
                self.install(self.node[n])
                if self.node[n].view == before:
                    break

    def copy_all(self):
        for i in range(40):
            self.rnd = lambda x=i * .37 % 1: x            # each source and key in turn
            self.copy()
        self.rnd = lambda: .99

    def move_slot(self, i, heir, nodes):
        """A whole move of a slot: COPY, BOTH, STABLE."""
        o = self.rows[-1].slots[i].owner
        batch = len(self.rows)
        self.row(self.with_slot(i, Slot('COPY', o, heir)), batch, nodes)
        self.copy_all()
        assert self.reported == len(self.rows) - 1
        self.row(self.with_slot(i, Slot('BOTH', o, heir)), batch, nodes)
        self.row(self.with_slot(i, Slot('STABLE', heir, None)), None, nodes)
        for p in self.proposers:
            p.view = len(self.rows) - 1

    def purge_at(self, version):
        """A whole purge: all replicas hold the same, all vote, all drop."""
        nodes = [self.node[n] for n in self.rows[-1].nodes]
        assert len({n.entry(0) for n in nodes}) == 1
        for n in nodes:
            n.fence = max(n.fence, version)
        for n in nodes:
            self.drop(n, version)

    def verdict(self):
        try:
            self.check()
        except Violation as found:
            return str(found)
        return 'fine'


def heirfloor(**how):
    """A value that one node accepted, unchosen, under a high ballot; the other node that promised the ballot moves its
    slot; a proposer with a lower clock then chooses a value on the heir and the third node: the old value beats it."""
    w = Script(**how)
    slow, fast = w.proposers[:2]
    fast.tick = 2000
    one = w.call(w.op('put', fast, 1), fast)
    w.go('prepare', 'ab', one)
    w.go('accept', 'b', one)                          # the accept for a is lost
    w.drop_messages()
    d = w.new_node()
    w.move_slot(0, d, 'abc' + d)
    two = w.call(w.op('put', slow, 2), slow)
    w.go('prepare', d + 'c', two)
    w.go('accept', d + 'c', two)
    return w.verdict()


def purgeballot(**how):
    """A promise of an earlier accept is used after a long time: ballot old, revision new.  The register is deleted and
    purged by its ballot; a late attempt of the delete finds neither its id nor evictedUpTo above since."""
    w = Script(**how)
    p, q = w.proposers[:2]
    w.with_next(w.call(w.op('put', p, 1), p), 'abc')
    w.now = 2000
    op = w.op('delete', p)
    late = w.hold(op)
    one = w.call(op, p)
    assert one.cached
    w.go('accept', 'abc', one)
    w.purge_at(1500 * SLOTS)
    w.now = 2010
    w.whole(w.arrive(late, q))
    return w.verdict()


def purgerevision(**how):
    """As purgeballot; then a proposer whose clock is behind writes: its revision must be above that of the delete."""
    w = Script(**how)
    p, q = w.proposers[:2]
    q.skew = -100
    w.with_next(w.call(w.op('put', p, 1), p), 'abc')
    w.now = 2000
    w.go('accept', 'abc', w.call(w.op('delete', p), p))
    w.purge_at(1500 * SLOTS)
    w.whole(w.call(w.op('put', q, 2), q))
    return w.verdict()


def condition(**how):
    """A condition fails and its caller is told; the condition becomes true; a late attempt arrives elsewhere."""
    w = Script(**how)
    p, q = w.proposers[:2]
    w.whole(w.call(w.op('put', p, 1), p))
    op = w.op('cas', p, value=1, expected=2)
    late = w.hold(op)
    w.whole(w.call(op, p))
    assert op.outcome == 'failed'
    w.whole(w.call(w.op('put', p, 2), p))
    w.now += 100
    w.whole(w.arrive(late, q))
    return w.verdict()


def condition_evicted(**how):
    """As condition, but the failure has left the ring."""
    w = Script(ring=1, **how)
    p, q = w.proposers[:2]
    w.whole(w.call(w.op('put', p, 1), p))
    op = w.op('cas', p, value=1, expected=2)
    late = w.hold(op)
    w.whole(w.call(op, p))
    assert op.outcome == 'failed'
    w.whole(w.call(w.op('put', p, 2), p))
    w.now += 100
    w.whole(w.arrive(late, q))
    return w.verdict()


def condition_read(**how):
    """A condition fails by a one-round read, while a former attempt of the call is on its way."""
    w = Script(**how)
    p, q = w.proposers[:2]
    w.whole(w.call(w.op('put', p, 1), p))
    op = w.op('cas', p, value=1, expected=2)
    late = w.hold(op)
    w.rnd = lambda: .2
    one = w.call(op, p)
    w.rnd = lambda: .99
    assert one.stage == 'read'
    w.go('read', 'abc', one)
    w.whole(w.call(w.op('put', p, 2), p))
    w.now += 100
    w.whole(w.arrive(late, q))
    return w.verdict()


def rebuilt(**how):
    """A node loses its disk, is refilled from all others and keeps its place in the row, but not its promises."""
    w = Script(**how)
    slow, fast = w.proposers[:2]
    fast.tick = 2000
    one = w.call(w.op('put', fast, 1), fast)
    w.go('prepare', 'ab', one)                        # accepts on their way
    if how.get('mutation') == 'rebuild':
        w.rebuild(w.node['a'])
        a = 'a'
    else:                                             # a new incarnation: FILL
        w.dead.add('a')
        a = w.new_node()
        w.row(w.with_slot(0, Slot('FILL', 'a', a)), 1, 'bc' + a)
        w.copy_all()
        w.row(w.with_slot(0, Slot('STABLE', a, None)), None, 'bc' + a)
        slow.view = fast.view = 2
    two = w.call(w.op('put', slow, 2), slow)
    w.go('prepare', a + 'c', two)
    w.go('accept', a + 'c', two)
    w.go('accept', 'b', one)
    return w.verdict()


def takeover(begin, answer, contend, rate=1, replica=1, **how):
    w = Script(profile='lock', **how)
    p, q = w.proposers[:2]
    for n in w.node.values():
        n.rate = replica
    w.now = begin
    one = w.call(w.op('take', p, lease=100, rate=rate), p)
    w.go('prepare', 'abc', one)
    w.go('accept', 'a', one)
    w.now = answer
    w.go('accept', 'bc', one)
    w.drop_messages()
    w.now = contend
    w.whole(w.call(w.op('take', q, lease=100), q))
    return w.verdict_now()


def lease_start(**how):
    """The answer is late; the holder counts from it."""
    return takeover(1000, 1050, 1104, **how)


def lease_margin(**how):
    """The holder's clock is 2 % slow, those of the replicas are 2 % fast."""
    return takeover(1000, 1000, 1099, rate=.98, replica=1.02, **how)


def token_kept(**how):
    """A take-over must give a larger token."""
    return takeover(1000, 1000, 1200, **how)


def stamp_kept(**how):
    """A renewal that does not give a new lease stamp: the contender counts from the first take."""
    w = Script(profile='lock', **how)
    p, q = w.proposers[:2]
    one = w.call(w.op('take', p, lease=100), p)
    w.whole(one)
    holder = w.holders[0]
    w.now = 1060
    op = Operation(len(w.operations) + 1, 0, 'renew', w.clock, w.version(p))
    op.handle, op.token, op.lease, op.holder, op.begun = holder.op.handle, holder.token, 100, holder, w.mono(holder)
    w.operations.append(op)
    w.whole(w.call(op, p))
    assert op.outcome == 'done'
    w.now = 1110
    w.whole(w.call(w.op('take', q, lease=100), q))
    return w.verdict_now()


def verdict_now(w):
    try:
        w.check_holders()
        w.check()
    except Violation as found:
        return str(found)
    return 'fine'


Script.verdict_now = verdict_now


def expired(one_round, **how):
    """A reader with a fast clock sees the value expired, a later one with a slow clock does not."""
    w = Script(profile='expiry', **how)
    p, q = w.proposers[:2]
    p.skew = 50
    w.whole(w.call(w.op('put', q, 1, ttl=40), q))
    w.now += 20
    q.tick = 2000                                     # its ballot is high enough, its clock is slow
    for reader in (p, q):
        w.rnd = lambda: .2 if one_round else .99
        one = w.call(w.op('read', reader), reader)
        if one_round:
            w.go('read', 'abc', one)
            w.rnd = lambda: .99
            one = reader.rounds[0]
        if not one.over:
            w.whole(one)
    return w.verdict()


def expired_read(**how):
    """By one-round reads."""
    return expired(True, **how)


def expired_identity(**how):
    """By identity changes."""
    return expired(False, **how)


def grow_fence(**how):
    """Two growths, 3 to 5, while two nodes still serve the row of three: they accept what a majority of five misses."""
    w = Script(**how)
    p, q = w.proposers[:2]
    d, e = w.new_node(), w.new_node()
    one = w.call(w.op('put', p, 1), p)
    w.go('prepare', 'ab', one)                        # a and b stay behind: row 0
    allowed = how.get('mutation') == 'nogrowfence'
    w.wanted = 5
    w.profile['actions'] = ['grow']
    everyone = 'abc' + d if not allowed else 'c' + d
    w.row(w.with_slot(2, Slot('GROW', 'c', d)), 1, everyone)
    if allowed:                                       # growth from the owner only, so that it can end: see growone
        w.bug = 'growone'
    w.copy_all()
    w.row(w.with_slot(2, Slot('STABLE', 'c', None), Slot('STABLE', d, None)), None, everyone)
    w.row(w.with_slot(3, Slot('GROW', d, e)), 3, everyone + e)
    w.copy_all()
    w.row(w.with_slot(3, Slot('STABLE', d, None), Slot('STABLE', e, None)), None, everyone + e)
    w.bug = how.get('mutation')
    w.go('accept', 'ab', one)
    return w.verdict()


def leftover(**how):
    """An heir of an aborted move accepted something, unchosen; later, when all nodes that promised it have been
    replaced, it becomes an heir again."""
    w = Script(**how)
    slow, fast = w.proposers[:2]
    d = w.new_node()
    fast.tick = 2000
    w.row(w.with_slot(0, Slot('COPY', 'a', d)), 1, 'abc' + d)
    w.copy_all()
    for p in w.proposers:
        p.view = 1
    one = w.call(w.op('put', fast, 1), fast)
    w.go('prepare', 'ab' + d, one)
    w.go('accept', d, one)
    w.drop_messages()
    w.row(w.with_slot(0, Slot('STABLE', 'a', None)), None, 'abc' + d)
    # a and b die in turn: their heirs have no floor, and need none
    for i, old in ((0, 'a'), (1, 'b')):
        new = w.new_node()
        w.dead.add(old)
        w.row(w.with_slot(i, Slot('FILL', old, new)), 10 + i, ''.join(w.node))
        w.copy_all()
        w.row(w.with_slot(i, Slot('STABLE', new, None)), None, ''.join(w.node))
    row = w.rows[-1]
    for p in w.proposers:
        p.view = row.version
    two = w.call(w.op('put', slow, 2), slow)
    w.whole(two, ''.join(row.nodes))
    w.move_slot(2, d, ''.join(w.node))
    return w.verdict()


def evicted(**how):
    """A promise is evicted; an older proposer's ballot must not pass."""
    w = Script(**how)
    slow, fast = w.proposers[:2]
    fast.tick = 2000
    one = w.call(w.op('put', fast, 1), fast)
    w.go('prepare', 'ab', one)
    w.go('accept', 'b', one)
    w.evict(w.node['a'])
    two = w.call(w.op('put', slow, 2), slow)
    w.go('prepare', 'ac', two)
    w.go('accept', 'ac', two)
    return w.verdict()


def restarted(**how):
    """A restart forgets a promise; the floor must stand for it."""
    w = Script(**how)
    slow, fast = w.proposers[:2]
    fast.tick = 2000
    one = w.call(w.op('put', fast, 1), fast)
    w.go('prepare', 'ab', one)
    w.go('accept', 'b', one)
    w.kill(w.node['a'])
    two = w.call(w.op('put', slow, 2), slow)
    w.go('prepare', 'ac', two)
    w.go('accept', 'ac', two)
    return w.verdict()


def carried(**how):
    """Promises of row 0; the row changes twice; a value is chosen on the heir and the third node; the accept of row 0 is
    carried over."""
    w = Script(**how)
    slow, fast = w.proposers[:2]
    fast.tick = 2000
    one = w.call(w.op('put', fast, 1), fast)
    w.go('prepare', 'ab', one)
    w.dead.add('a')
    d = w.new_node()
    w.row(w.with_slot(0, Slot('FILL', 'a', d)), 1, 'bc' + d)
    w.copy_all()
    w.row(w.with_slot(0, Slot('STABLE', d, None)), None, 'bc' + d)
    slow.view = 2
    two = w.call(w.op('put', slow, 2), slow)
    w.go('prepare', d + 'c', two)
    w.go('accept', d + 'c', two)
    w.go('accept', 'b', one)
    w.go('accept', 'b' + d, one)
    return w.verdict()


def fill_floor(**how):
    """A write fails at a source of FILL, and the entry appears after a restart, unchosen; the other node that had promised
    its ballot is the dead one."""
    w = Script(**how)
    slow, fast = w.proposers[:2]
    fast.tick = 2000
    one = w.call(w.op('put', fast, 1), fast)
    w.go('prepare', 'ab', one)
    b = w.node['b']
    for m in list(w.messages):
        if m[0] == 'accept' and m[1] == 'b':
            w.messages.remove(m)
            w.deliver(m)
    b.doubtful = [(0, one.state)]
    b.poisoned, b.pending = {0: one.state}, {}
    w.dead.add('a')
    d = w.new_node()
    w.row(w.with_slot(0, Slot('FILL', 'a', d)), 1, 'bc' + d)
    w.copy_all()
    w.row(w.with_slot(0, Slot('STABLE', d, None)), None, 'bc' + d)
    slow.view = 2
    two = w.call(w.op('put', slow, 2), slow)
    w.go('prepare', d + 'c', two)
    w.go('accept', d + 'c', two)
    w.rnd = lambda: .3
    w.kill(b)
    w.rnd = lambda: .99
    return w.verdict()


def read_first(**how):
    """A prepare that is done in two halves: what it reads must not be older than its promise."""
    w = Script(**how)
    p, q = w.proposers[:2]
    one = w.call(w.op('put', p, 1), p)
    w.go('prepare', 'ac', one)
    w.now += 100
    two = w.call(w.op('put', q, 2), q)
    a = w.node['a']
    for m in list(w.messages):
        if m[0] == 'prepare' and m[1] == 'a' and m[2] is two:
            w.messages.remove(m)
            w.rnd = lambda: .5
            w.deliver(m)                              # the first half
            w.rnd = lambda: .99
    w.go('accept', 'c', one)
    for m in list(w.messages):
        if m[0] == 'accept' and m[1] == 'a':
            w.messages.remove(m)
            w.deliver(m)
            w.write(a)
    while a.reads:
        w.second_half(a, a.reads.pop())
    w.go('prepare', 'b', two)
    w.go('accept', 'ab', two)
    return w.verdict()


def split_row(**how):
    """The second half of a prepare is late: meanwhile the node has left the row, and dropped its entries to become the heir
    of another slot.  A node that still serves the old row accepts what was proposed on an empty register."""
    w = Script(**how)
    p, q = w.proposers[:2]
    one = w.call(w.op('put', p, 1), p)
    w.go('prepare', 'ac', one)
    w.go('accept', 'ac', one)
    w.drop_messages()
    w.now += 100
    two = w.call(w.op('put', q, 2), q)
    a = w.node['a']
    for m in list(w.messages):
        if m[0] == 'prepare' and m[1] == 'a' and m[2] is two:
            w.messages.remove(m)
            w.rnd = lambda: .5
            w.deliver(m)                              # the first half
            w.rnd = lambda: .99
    w.go('prepare', 'b', two)
    d = w.new_node()
    w.move_slot(0, d, 'ac' + d)
    w.row(w.with_slot(2, Slot('COPY', 'c', 'a')), 4, 'ac' + d)
    q.view = 0
    while a.reads:
        w.second_half(a, a.reads.pop())
    w.go('accept', 'b', two)
    w.copy_all()
    w.row(w.with_slot(2, Slot('BOTH', 'c', 'a')), 4, 'ac' + d)
    w.row(w.with_slot(2, Slot('STABLE', 'a', None)), None, 'abc' + d)
    return w.verdict()


def floor_beside(**how):
    """As heirfloor; the heir has promised a low ballot of the same key before it adopts the floor."""
    w = Script(**how)
    slow, fast, low = w.proposers
    fast.tick = 2000
    one = w.call(w.op('put', fast, 1), fast)
    w.go('prepare', 'ab', one)
    w.go('accept', 'b', one)
    w.drop_messages()
    d = w.new_node()
    w.row(w.with_slot(0, Slot('COPY', 'a', d)), 1, 'abc' + d)
    w.copy()                                          # opens
    low.view = 1
    w.go('prepare', d, w.call(w.op('put', low, 2), low))
    w.drop_messages()
    w.copy_all()
    w.row(w.with_slot(0, Slot('BOTH', 'a', d)), 1, 'abc' + d)
    w.row(w.with_slot(0, Slot('STABLE', d, None)), None, 'abc' + d)
    slow.view, slow.tick = 3, 1100
    two = w.call(w.op('put', slow, 2), slow)
    w.go('prepare', d + 'c', two)
    w.go('accept', d + 'c', two)
    return w.verdict()


def install_race(**how):
    """A row is installed while an accept of the former one is being written; the page does not have it."""
    w = Script(**how)
    p = w.proposers[0]
    one = w.call(w.op('put', p, 1), p)
    w.go('prepare', 'ab', one)
    a = w.node['a']
    for m in list(w.messages):
        if m[0] == 'accept' and m[1] == 'a':
            w.messages.remove(m)
            w.deliver(m)
    d = w.new_node()
    w.row(w.with_slot(0, Slot('COPY', 'a', d)), 1, 'a' + d)
    if a.view == 0:                                   # refused: it waits for the accept
        w.write(a)
        w.install(a)
    w.copy_all()
    if a.pending:
        w.write(a)
    w.go('accept', 'b', one)
    w.row(w.with_slot(0, Slot('BOTH', 'a', d)), 1, 'abc' + d)
    w.row(w.with_slot(0, Slot('STABLE', d, None)), None, 'abc' + d)
    return w.verdict()


def purge_ring(**how):
    """A delete is purged with its id; a late attempt of it must find evictedUpTo = W."""
    w = Script(**how)
    p, q = w.proposers[:2]
    w.whole(w.call(w.op('put', p, 1), p))
    op = w.op('delete', p)
    late = w.hold(op)
    w.whole(w.call(op, p))
    w.purge_at(1500 * SLOTS)
    w.now = 2000
    w.whole(w.arrive(late, q))
    return w.verdict()


def since_low(**how):
    """The id was made by a clock that is ahead; the revision must be above it, or its eviction hides nothing."""
    w = Script(ring=1, **how)
    p, q, ahead = w.proposers
    ahead.tick = 3000
    op = w.op('put', ahead, 1)
    late = w.hold(op)
    w.whole(w.call(op, p))
    w.now += 100
    p.tick = 1200
    w.whole(w.call(w.op('put', p, 2), p))
    w.now += 200
    q.tick = 4000
    w.whole(w.arrive(late, q))
    return w.verdict()


def condition_blind(**how):
    """A conditional write by revision is executed, its answer is lost; the second attempt reads that the revision is another."""
    w = Script(profile='version', **how)
    p, q = w.proposers[:2]
    first = w.op('put', p, 1)
    w.whole(w.call(first, p))
    op = w.op('swap', p, value=2, expected=first.history[-1].revision)
    one = w.call(op, p)
    tell, w.tell = w.tell, lambda call, result: None
    w.whole(one)
    w.tell = tell
    w.rnd = lambda: .2
    two = w.call(op, q)
    w.rnd = lambda: .99
    w.go('read', 'abc', two)
    w.now += 100
    w.whole(w.call(w.op('put', p, 1), p))
    return w.verdict()


def half_promise(**how):
    """The heir in COPY is still empty; counted alone as promised, it hides what the owner accepted."""
    w = Script(**how)
    p, q = w.proposers[:2]
    one = w.call(w.op('put', p, 1), p)
    w.go('prepare', 'ab', one)
    w.go('accept', 'ab', one)
    w.drop_messages()
    d = w.new_node()
    w.row(w.with_slot(0, Slot('COPY', 'a', d)), 1, 'abc' + d)
    w.copy()                                          # opens
    w.now, q.view = 1100, 1
    two = w.call(w.op('put', q, 2), q)
    w.go('prepare', d + 'c', two)
    w.go('prepare', 'a', two)
    w.go('accept', 'a' + d + 'c', two)
    return w.verdict()


def pair(read, **how):
    """The heir and the third node accept, the owner does not; then the move is undone."""
    w = Script(**how)
    p, q = w.proposers[:2]
    d = w.new_node()
    w.row(w.with_slot(0, Slot('COPY', 'a', d)), 1, 'abc' + d)
    w.copy_all()
    w.row(w.with_slot(0, Slot('BOTH', 'a', d)), 1, 'abc' + d)
    p.view = q.view = 2
    one = w.call(w.op('put', p, 1), p)
    w.go('prepare', 'ab' + d, one)
    w.go('accept', 'b' + d, one)
    w.drop_messages()
    if read:
        w.rnd = lambda: .5
        two = w.call(w.op('read', q), q)
        w.rnd = lambda: .99
        w.go('read', 'b' + d, two)
    w.row(w.with_slot(0, Slot('UNDO', 'a', d)), 1, 'abc' + d)
    w.row(w.with_slot(0, Slot('STABLE', 'a', None)), None, 'abc' + d)
    return w.verdict()


def half_pair(**how):
    """Counted as accepted."""
    return pair(False, **how)


def read_pair(**how):
    """Counted in a one-round read."""
    return pair(True, **how)


def merged(**how):
    """Anti-entropy brings a minority's entry to a node that has promised a larger ballot: a read takes it as chosen."""
    w = Script(**how)
    p, q, r = w.proposers
    one = w.call(w.op('put', p, 1), p)
    w.go('prepare', 'ab', one)
    w.go('accept', 'a', one)
    w.drop_messages()
    w.now = 1100
    two = w.call(w.op('put', q, 2), q)
    w.go('prepare', 'bc', two)
    if w.bug == 'merge':
        w.put(w.node['b'], 0, w.node['a'].entry(0))
    w.rnd = lambda: .5
    three = w.call(w.op('read', r), r)
    w.rnd = lambda: .99
    w.go('read', 'ab', three)
    w.go('accept', 'bc', two)
    return w.verdict()


def grow_majority(**how):
    """Four slots: two disjoint majorities of two."""
    w = Script(width=4, **how)
    p, q = w.proposers[:2]
    one = w.call(w.op('put', p, 1), p)
    w.go('prepare', 'ab', one)
    w.go('accept', 'ab', one)
    w.drop_messages()
    two = w.call(w.op('put', q, 2), q)
    w.go('prepare', 'cd', two)
    w.go('accept', 'cd', two)
    return w.verdict()


def purge_majority(**how):
    """A delete that one node has missed is purged on the others."""
    w = Script(**how)
    p = w.proposers[0]
    w.whole(w.call(w.op('put', p, 1), p))
    w.whole(w.call(w.op('delete', p), p), 'ab')
    w.profile['purge'], w.now = 1, 1500
    row = w.rows[0]
    w.purge = dict(version=1400 * SLOTS, row=row, seen={}, votes=set())
    names = iter('ababababab')
    w.rnd = lambda: .99
    choose = w.pick
    w.pick = lambda among: next(names) if among is row.nodes else choose(among)
    for _ in range(6):
        if w.purge is not None:
            w.purge_step()
    w.pick = choose
    for version, row, left in w.commits:
        for n in left:
            w.drop(w.node[n], version)
    return w.verdict()


def reused(**how):
    """A proposer restarts and uses a ballot again."""
    w = Script(**how)
    p = w.proposers[0]
    one = w.call(w.op('put', p, 1), p)
    w.go('prepare', 'ab', one)
    w.go('accept', 'a', one)
    w.drop_messages()
    w.kill_proposer(p)
    if w.bug != 'reuse':
        w.now = 1100
    two = w.call(w.op('put', p, 2), p)
    w.go('prepare', 'bc', two)
    w.go('accept', 'bc', two)
    return w.verdict()


def failed_write(acknowledged, **how):
    w = Script(**how)
    p, q, r = w.proposers
    one = w.call(w.op('put', p, 1), p)
    w.go('prepare', 'ab', one)
    w.go('accept', 'b', one)
    a = w.node['a']
    for m in list(w.messages):
        if m[0] == 'accept' and m[1] == 'a':
            w.messages.remove(m)
            w.deliver(m)
    chances = iter([.05, .05, .9, .9 if acknowledged else .5, .1, .9, .9, .9, .9])
    w.faulty, w.rnd = True, lambda: next(chances)
    w.write(a)                                        # throws; the bytes appear later only if not acknowledged
    w.faulty, w.rnd = False, lambda: .99
    w.now = 1100
    if not acknowledged:
        two = w.call(w.op('put', q, 2), q)
        w.go('prepare', 'ac', two)                    # a does not answer in the design
    w.rnd = lambda: .5
    w.kill(a)
    three = w.call(w.op('read', r), r)
    w.rnd = lambda: .99
    w.go('read', 'ab', three)
    if not acknowledged:
        w.go('prepare', 'b', two)
        w.go('accept', 'bc', two)
    return w.verdict()


def part_ack(**how):
    """A write fails and is acknowledged."""
    return failed_write(True, **how)


def poison(**how):
    """A write fails; the node promises and does not tell of it; the bytes appear after a restart; a read takes them as
    chosen; the proposer that was told of nothing writes."""
    return failed_write(False, **how)


def one_source(**how):
    """The heir of FILL copies from one of two nodes, and misses what the dead one and the other had accepted."""
    w = Script(**how)
    p, q = w.proposers[:2]
    one = w.call(w.op('put', p, 1), p)
    w.go('prepare', 'ac', one)
    w.go('accept', 'ac', one)
    w.drop_messages()
    w.dead.add('a')
    d = w.new_node()
    w.row(w.with_slot(0, Slot('FILL', 'a', d)), 1, 'bc' + d)
    w.copy_all()
    w.row(w.with_slot(0, Slot('STABLE', d, None)), None, 'bc' + d)
    return w.verdict()


# scenario -> (function, mutation or None, fixes left out)
ALL = {
    'heirfloor': (heirfloor, None, ('floor',)), 'purgeballot': (purgeballot, None, ('stamps',)),
    'purgerevision': (purgerevision, None, ('stamps',)), 'condring': (condition, 'condring', ()),
    'condstamp': (condition_evicted, 'condstamp', ()), 'condtrust': (condition_read, 'condtrust', ()),
    'rebuild': (rebuilt, 'rebuild', ()), 'leasestart': (lease_start, 'leasestart', ()),
    'leasemargin': (lease_margin, 'leasemargin', ()), 'tokenkept': (token_kept, 'tokenkept', ()),
    'stampkept': (stamp_kept, 'stampkept', ()), 'expirelocal': (expired_read, 'expirelocal', ()),
    'expireonly': (expired_identity, 'expireonly', ()), 'nogrowfence': (grow_fence, 'nogrowfence', ()),
    'leftover': (leftover, 'leftover', ('floor',)), 'evict': (evicted, 'evict', ()), 'nofloor': (restarted, 'nofloor', ()),
    'boundless': (restarted, 'boundless', ()), 'carry': (carried, 'carry', ('floor',)),
    'carryonly': (carried, 'carryonly', ('floor',)), 'tagless': (carried, 'tagless', ('floor',)),
    'fillfloor': (fill_floor, None, ('floor',)), 'readfirst': (read_first, 'readfirst', ()), 'purgering': (purge_ring, 'purgering', ()),
    'sincelow': (since_low, 'sincelow', ()), 'condblind': (condition_blind, 'condblind', ()), 'flooror': (floor_beside, 'flooror', ()),
    'halfpromise': (half_promise, 'halfpromise', ()), 'halfpair': (half_pair, 'halfpair', ()),
    'readpair': (read_pair, 'readpair', ()), 'merge': (merged, 'merge', ()), 'growmaj': (grow_majority, 'growmaj', ()),
    'purgemaj': (purge_majority, 'purgemaj', ()), 'reuse': (reused, 'reuse', ()), 'partack': (part_ack, 'partack', ()),
    'poison': (poison, 'poison', ()), 'onesource': (one_source, 'onesource', ()),
    'installrace': (install_race, 'installrace', ()), 'splitrow': (split_row, 'splitrow', ()),
}


def main():
    for variant in ('drop', 'tag', 'split'):
        for name in sys.argv[1:] or ALL:
            run, mutation, without = ALL[name]
            found = []
            for how in (dict(mutation=mutation, without=without), dict()):
                try:
                    found.append(run(variant=variant, **how))
                except Violation as e:
                    found.append(str(e))
                except Exception as e:                # a script that does not fit
                    found.append('SCRIPT %r at line %d' % (e, e.__traceback__.tb_next.tb_lineno))
            print('%-14s %-6s without: %-26s with: %s' % (name, variant, *found), flush=True)


if __name__ == '__main__':
    main()
