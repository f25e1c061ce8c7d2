package io.dht4j.core.internal.repair.session;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.refill.PartitionReadBarrier;
import io.dht4j.core.internal.refill.PartitionReadBarrier.Why;
import io.dht4j.core.internal.repair.Pace;
import io.dht4j.core.internal.repair.RepairException;
import io.dht4j.core.internal.repair.RepairPeers;
import io.dht4j.core.internal.repair.tree.LocalReplica;
import io.dht4j.core.internal.wire.RepairReply;
import io.dht4j.core.internal.wire.RepairRequest;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the other replicas, when this node starts, how far they have purged, and tells them the same of this one; so
 * that both learn whose disk was set back. A partition is not read before all its other replicas have been heard. One
 * that is not there is not waited for when another one has answered; it will tell what it knows when it starts. In any
 * case reads wait for no longer than some seconds: a node must be of use too while others are away for long. Who was
 * not heard by then is asked on, and a partition that turns out to be set back is closed then. A node that holds
 * nothing can show nothing that was deleted, and is read at once.
 *
 * <p>Does not block, but for {@link #begin}; safe for use by any number of threads.
 */
final class PurgeWatermarkExchange {

    private static final Logger LOG = LoggerFactory.getLogger(PurgeWatermarkExchange.class);

    /** How long doubts are gathered before all are asked. */
    private static final Duration DOUBTS = Duration.ofSeconds(5);

    /** For so long reads wait for the answers of nodes that most likely answer at once, before they are refused. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /**
     * All are asked once more when rounds have ended that were under way when this node started, and that it may have
     * agreed to before.
     */
    private static final Duration AGAIN = Duration.ofMinutes(2);

    /** For so long nodes that cannot be reached at all may be about to start, as when nodes are started one by one. */
    private static final Duration ALARM = Duration.ofMinutes(1);

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final long FIRST_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Environment environment;
    private final NodeId self;
    private final LocalReplica content;
    private final RepairPeers peers;
    private final Pace pace;
    private final PartitionReadBarrier unfilled;

    private final Map<Node, BitSet> others;

    /** How long reads wait for nodes that do not answer. */
    private final Duration patienceOfReads;

    // Guarded by this.
    /** Who is being asked. */
    private final Set<Node> asked = new HashSet<>();

    /** Those of them that did not answer, until they are asked again. */
    private final Map<Node, Pause> pauses = new HashMap<>();

    /** When each was asked last. */
    private final Map<Node, Long> askedNanos = new HashMap<>();

    /** Whether there are pauses; read without the lock. */
    private volatile boolean pausing;

    /** Who has not said yet how far it has purged what. */
    private final Map<Node, BitSet> unheard;

    /** What of that came up while they were being asked: the reply under way may be older. */
    private final Map<Node, BitSet> renewed = new HashMap<>();

    /** Those of them that could not be reached when they were asked last. */
    private final Set<Node> absent = new HashSet<>();

    /** Those of them at whose addresses nothing listens. */
    private final Set<Node> refusing = new HashSet<>();

    /** Partitions of which some other replica has been heard. */
    private final BitSet answered = new BitSet();

    private boolean waiting;
    private boolean closed;

    /** Whether the log says that somebody did not answer, and not yet that all have. */
    private boolean warned;

    private Environment.@Nullable Timer patience;
    private Environment.@Nullable Timer grace;
    private Environment.@Nullable Timer alarm;
    private Environment.@Nullable Timer secondTime;

    /** What all are asked about soon. */
    private BitSet doubts = new BitSet();

    private Environment.@Nullable Timer doubting;

    /**
     * The time until a node is asked again.
     *
     * @param timer ends it
     * @param nanos how long it is
     * @param mayEndEarly whether a reply to something else ends it; not if that is how it was asked last, since it may
     *     refuse just this
     */
    private record Pause(Environment.Timer timer, long nanos, boolean mayEndEarly) {}

    PurgeWatermarkExchange(
            Environment environment,
            NodeId self,
            LocalReplica content,
            RepairPeers peers,
            Pace pace,
            PartitionReadBarrier unfilled,
            Map<Node, BitSet> others,
            Duration patienceOfReads) {
        this.patienceOfReads = patienceOfReads;
        this.environment = environment;
        this.self = self;
        this.content = content;
        this.peers = peers;
        this.pace = pace;
        this.unfilled = unfilled;
        this.others = others;
        this.unheard = new LinkedHashMap<>();
        others.forEach((node, shared) -> unheard.put(node, (BitSet) shared.clone()));
    }

    /** Keeps from being read what others must be asked about first; before anything is read. */
    void begin() {
        synchronized (this) {
            waiting = !content.isEmpty();
            update();
        }
        letReadsGo();
    }

    /** Those that wait are served on this thread. */
    private void letReadsGo() {
        if (unfilled.of(Why.UNCHECKED).isEmpty()) {
            unfilled.checked().complete(null);
        }
    }

    /** Asks; once this node can be asked itself. */
    void ask() {
        List<Node> all;
        synchronized (this) {
            if (waiting && !unheard.isEmpty()) {
                patience = environment.schedule(this::outOfPatience, patienceOfReads.toNanos());
                grace = environment.schedule(() -> unfilled.checked().complete(null), GRACE_NANOS);
            }
            secondTime = environment.schedule(() -> others.forEach(this::askAbout), AGAIN.toNanos());
            all = List.copyOf(unheard.keySet());
        }
        all.forEach(this::askNow);
    }

    /**
     * Asks a node now, unless it is being asked. Not while holding the lock, since a question may fail at once and let
     * those go that wait.
     */
    private void askNow(Node node) {
        synchronized (this) {
            Pause pause = pauses.remove(node);
            pausing = !pauses.isEmpty();
            if (pause != null) {
                pause.timer().cancel();
            } else if (!asked.add(node)) {
                return;
            }
        }
        ask(node, FIRST_WAIT_NANOS, true);
    }

    /**
     * A node has answered whatever it was asked: so it need not be waited for any longer, but it may have refused just
     * this.
     */
    void answered(NodeId id) {
        if (!pausing) {
            return;
        }
        List<Node> back = new ArrayList<>();
        synchronized (this) {
            long now = environment.nanoTime();
            pauses.forEach((node, pause) -> {
                if (node.id().equals(id)
                        && pause.mayEndEarly()
                        && now - askedNanos.getOrDefault(node, now) >= FIRST_WAIT_NANOS) {
                    back.add(node);
                }
            });
        }
        back.forEach(node -> askAgain(node, true));
    }

    /** A node says by itself what this one would have to learn: that counts once it has been asked. */
    void claimed(String from, BitSet partitions) {
        others.keySet().stream()
                .filter(node -> node.id().value().equals(from))
                .forEach(node -> askAbout(node, partitions));
    }

    /** All others are asked about some partitions after a while. */
    synchronized void doubted(BitSet partitions) {
        doubts.or(partitions);
        if (!closed && doubting == null) {
            doubting = environment.schedule(this::askAboutDoubts, DOUBTS.toNanos());
        }
    }

    private void askAboutDoubts() {
        BitSet some;
        synchronized (this) {
            some = doubts;
            doubts = new BitSet();
            doubting = null;
        }
        others.keySet().forEach(node -> askAbout(node, some));
    }

    /**
     * Asks a node about some partitions, and so tells it how far this one has purged them, again and again until it
     * answers.
     */
    void askAbout(Node node, BitSet partitions) {
        synchronized (this) {
            BitSet shared = (BitSet) others.getOrDefault(node, new BitSet()).clone();
            shared.and(partitions);
            if (closed || shared.isEmpty()) {
                return;
            }
            unheard.computeIfAbsent(node, each -> new BitSet()).or(shared);
            if (asked.contains(node)) {
                renewed.computeIfAbsent(node, each -> new BitSet()).or(shared);
            }
        }
        askNow(node);
    }

    private void ask(Node node, long waitNanos, boolean mayEndEarly) {
        BitSet open;
        synchronized (this) {
            BitSet left = unheard.get(node);
            if (closed || left == null) {
                asked.remove(node);
                return;
            }
            open = (BitSet) left.clone();
            renewed.remove(node);
            askedNanos.put(node, environment.nanoTime());
        }
        ask(node, Comparison.chunks(open, LocalReplica.MAX_SUMS), 0).whenComplete((done, error) -> {
            if (error != null) {
                LOG.debug(
                        "{} has not said yet how far it has purged: {}",
                        node.id(),
                        DhtException.unwrap(error).getMessage());
                failed(node, DhtException.unwrap(error));
                again(node, waitNanos, mayEndEarly);
            } else {
                // Perhaps there are new questions.
                ask(node, FIRST_WAIT_NANOS, true);
            }
        });
    }

    private void failed(Node node, Throwable error) {
        synchronized (this) {
            if (error instanceof RepairException failure && failure.isNotSent()) {
                absent.add(node);
            } else {
                absent.remove(node);
            }
            if (error instanceof RepairException failure && failure.isRefused()) {
                refusing.add(node);
            } else {
                refusing.remove(node);
            }
            if (waiting && refusing.containsAll(unheard.keySet())) {
                // Nobody is there to be waited for: they tell what they know when they start.
                awaitNobody();
            }
            update();
        }
        letReadsGo();
    }

    private synchronized void again(Node node, long waitNanos, boolean mayEndEarly) {
        if (!closed) {
            Environment.Timer timer = environment.schedule(() -> askAgain(node, false), waitNanos);
            pauses.put(node, new Pause(timer, waitNanos, mayEndEarly));
            pausing = true;
        }
    }

    /** Ends a pause, unless something else has. */
    private void askAgain(Node node, boolean early) {
        Pause pause;
        synchronized (this) {
            pause = pauses.remove(node);
            pausing = !pauses.isEmpty();
            if (pause == null) {
                return;
            }
            pause.timer().cancel();
        }
        ask(node, early ? pause.nanos() : Math.min(LONGEST_WAIT_NANOS, 2 * pause.nanos()), !early);
    }

    private CompletableFuture<Void> ask(Node node, List<BitSet> chunks, int index) {
        if (index == chunks.size()) {
            return CompletableFuture.completedFuture(null);
        }
        BitSet chunk = chunks.get(index);
        return tell(content, self, peers, node, chunk)
                .thenCompose(purged -> pace.onStore(() -> {
                    content.setBack().heard(node.id().value(), chunk, purged);
                    return chunk;
                }))
                .thenCompose(done -> ask(node, chunks, index + 1));
    }

    /** Tells a node how far this one has purged partitions; completes with how far that one has. */
    static CompletableFuture<List<Long>> tell(
            LocalReplica content, NodeId self, RepairPeers peers, Node node, BitSet partitions) {
        RepairRequest.Purged told = new RepairRequest.Purged(self.value(), partitions, content.purged(partitions));
        return peers.ask(node, told, TIMEOUT).thenApply(reply -> ((RepairReply.Purged) reply).purged());
    }

    /** A node has said how far it has purged some partitions, and that has been looked at. */
    void heard(String from, BitSet partitions) {
        note(from, partitions);
        letReadsGo();
    }

    private synchronized void note(String from, BitSet partitions) {
        for (Iterator<Map.Entry<Node, BitSet>> each = unheard.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<Node, BitSet> of = each.next();
            if (of.getKey().id().value().equals(from)) {
                answered.or(partitions);
                absent.remove(of.getKey());
                BitSet heard = (BitSet) partitions.clone();
                heard.andNot(renewed.getOrDefault(of.getKey(), new BitSet()));
                of.getValue().andNot(heard);
                if (of.getValue().isEmpty()) {
                    each.remove();
                }
            }
        }
        // What comes up later is asked about while it is read.
        waiting &= !unheard.isEmpty();
        update();
        if (unheard.isEmpty() && patience != null) {
            patience.cancel();
        }
        if (unheard.isEmpty() && warned) {
            warned = false;
            // As loud as its beginning.
            LOG.warn("all other nodes have told what they have purged");
        }
    }

    private synchronized void outOfPatience() {
        if (closed || unheard.isEmpty()) {
            return;
        }
        if (absent.containsAll(unheard.keySet())) {
            awaitNobody();
        } else {
            waiting = false;
            warn(unheard.keySet(), patienceOfReads);
        }
        update();
    }

    /** Holding the lock. */
    private void awaitNobody() {
        if (!waiting) {
            return;
        }
        waiting = false;
        LOG.info(
                "{} could not be reached yet: this node is read meanwhile, and asks them when they are there",
                ids(unheard.keySet()));
        Set<Node> away = Set.copyOf(unheard.keySet());
        alarm = environment.schedule(() -> stillAway(away), ALARM.toNanos());
    }

    private synchronized void stillAway(Set<Node> away) {
        Set<Node> still = new LinkedHashSet<>(unheard.keySet());
        still.retainAll(away);
        if (!closed && !still.isEmpty()) {
            warn(still, patienceOfReads.plus(ALARM));
        }
    }

    private void warn(Set<Node> silent, Duration time) {
        warned = true;
        LOG.warn(
                "{} did not tell within {} s whether they have deleted and purged what this node still holds: it "
                        + "is read"
                        + " meanwhile, and they are asked again and again. Start them, or see why this node "
                        + "cannot reach them",
                ids(silent),
                time.toSeconds());
    }

    private static List<NodeId> ids(Set<Node> nodes) {
        return nodes.stream().map(Node::id).toList();
    }

    /** Says what must not be read as long as this waits. Holding the lock. */
    private void update() {
        BitSet open = new BitSet();
        if (waiting) {
            unheard.forEach((node, partitions) -> {
                BitSet awaited = (BitSet) partitions.clone();
                if (absent.contains(node)) {
                    awaited.andNot(answered);
                }
                open.or(awaited);
            });
        }
        unfilled.set(Why.UNCHECKED, open);
    }

    void close() {
        synchronized (this) {
            closed = true;
            Stream.of(patience, grace, alarm, secondTime, doubting)
                    .filter(Objects::nonNull)
                    .forEach(Environment.Timer::cancel);
            pauses.values().forEach(pause -> pause.timer().cancel());
        }
        unfilled.checked().complete(null);
    }
}
