package io.dht4j.core.internal.repair.session;

import io.dht4j.DhtException;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.admission.Backoff;
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
 * Exchanges purge watermarks with the other replicas when this node starts, so that every rolled-back disk is detected.
 * Reads of a partition wait until all its other replicas have reported theirs.
 *
 * <p>An unreachable replica is not waited for once another one has answered; it reports its watermarks when it starts.
 * Reads wait at most some seconds, so that a node is of use while others are away for long. Replicas that have not
 * reported by then are asked on, and reads are refused once a partition turns out to be rolled back. A node with an
 * empty store cannot show deleted entries, and is read at once.
 *
 * <p>Does not block, except {@link #begin}; safe for use by any number of threads.
 */
final class PurgeWatermarkExchange {

    private static final Logger LOG = LoggerFactory.getLogger(PurgeWatermarkExchange.class);

    /** How long doubtful partitions are gathered before all nodes are asked. */
    private static final Duration DOUBTS = Duration.ofSeconds(5);

    /** How long reads wait for answers, which most nodes give at once, before they are refused. */
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /**
     * The delay after which all nodes are asked once more. Sessions that were running when this node started, and in
     * which it may have agreed before, have ended by then.
     */
    private static final Duration AGAIN = Duration.ofMinutes(2);

    /** How long unreachable nodes may be about to start, as when nodes are started one by one. */
    private static final Duration ALARM = Duration.ofMinutes(1);

    private static final Duration TIMEOUT = Duration.ofSeconds(2);
    private static final Backoff BACKOFF = Backoff.doubling(Duration.ofMillis(200), Duration.ofSeconds(10));

    private final Environment environment;
    private final NodeId self;
    private final LocalReplica content;
    private final RepairPeers peers;
    private final Pace pace;
    private final PartitionReadBarrier unfilled;

    private final Map<Node, BitSet> others;

    /** The maximum time that reads wait for nodes that do not answer. */
    private final Duration patienceOfReads;

    // Guarded by this.
    /** The nodes that are being asked. */
    private final Set<Node> asked = new HashSet<>();

    /** Those of them that did not answer, with the pause until the next attempt. */
    private final Map<Node, Pause> pauses = new HashMap<>();

    /** The time of the last request to each node. */
    private final Map<Node, Long> askedNanos = new HashMap<>();

    /** Whether there are pauses; read without the lock. */
    private volatile boolean pausing;

    /** The nodes that have not reported their purge watermarks, with the partitions concerned. */
    private final Map<Node, BitSet> unheard;

    /** Partitions added to {@code unheard} while their node was being asked: the reply on its way may be outdated. */
    private final Map<Node, BitSet> renewed = new HashMap<>();

    /** Those of the unheard nodes that could not be reached by the last request. */
    private final Set<Node> absent = new HashSet<>();

    /** Those of the unheard nodes at whose addresses nothing listens. */
    private final Set<Node> refusing = new HashSet<>();

    /** Partitions of which another replica has reported its watermark. */
    private final BitSet answered = new BitSet();

    private boolean waiting;
    private boolean closed;

    /** Whether silent nodes have been logged, and their answers not yet. */
    private boolean warned;

    private Environment.@Nullable Timer patience;
    private Environment.@Nullable Timer grace;
    private Environment.@Nullable Timer alarm;
    private Environment.@Nullable Timer secondTime;

    /** The partitions about which all nodes are asked soon. */
    private BitSet doubts = new BitSet();

    private Environment.@Nullable Timer doubting;

    /**
     * The time until a node is asked again.
     *
     * @param timer ends the pause
     * @param failures the number of failures before it
     * @param mayEndEarly whether a reply to another request ends it; false if the last pause ended so, since the node
     *     may refuse this request only
     */
    private record Pause(Environment.Timer timer, int failures, boolean mayEndEarly) {}

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

    /** Refuses reads of the unchecked partitions; called before anything is read. */
    void begin() {
        synchronized (this) {
            waiting = !content.isEmpty();
            update();
        }
        letReadsGo();
    }

    /** Completes the waiting reads on this thread, once nothing is unchecked. */
    private void letReadsGo() {
        if (unfilled.of(Why.UNCHECKED).isEmpty()) {
            unfilled.checked().complete(null);
        }
    }

    /** Sends the requests; called once this node serves requests itself. */
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
     * Asks a node now, unless it is being asked. Called without the lock, since a request may fail at once and complete
     * waiting reads.
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
        ask(node, 0, true);
    }

    /**
     * Ends the pause of a node that has answered another request: it is reachable, though it may refuse this request.
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
                        && now - askedNanos.getOrDefault(node, now) >= BACKOFF.baseNanos()) {
                    back.add(node);
                }
            });
        }
        back.forEach(node -> askAgain(node, true));
    }

    /** Asks a node that has reported higher purge watermarks unasked: they count once it has replied. */
    void claimed(String from, BitSet partitions) {
        others.keySet().stream()
                .filter(node -> node.id().value().equals(from))
                .forEach(node -> askAbout(node, partitions));
    }

    /** Asks all other nodes about some partitions after a while. */
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

    /** Exchanges the watermarks of some partitions with a node, repeatedly until it answers. */
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

    private void ask(Node node, int failures, boolean mayEndEarly) {
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
                again(node, failures, mayEndEarly);
            } else {
                // Partitions may have been added meanwhile.
                ask(node, 0, true);
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
                // No node is running that could answer: they report their watermarks when they start.
                awaitNobody();
            }
            update();
        }
        letReadsGo();
    }

    private synchronized void again(Node node, int failures, boolean mayEndEarly) {
        if (!closed) {
            Environment.Timer timer = environment.schedule(() -> askAgain(node, false), BACKOFF.nanos(failures));
            pauses.put(node, new Pause(timer, failures, mayEndEarly));
            pausing = true;
        }
    }

    /** Ends a pause and asks again, unless the pause has ended. */
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
        // A pause that ended early is not a failure more.
        ask(node, early ? pause.failures() : pause.failures() + 1, !early);
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

    /** Sends this node's purge watermarks of some partitions to a node; completes with that node's. */
    static CompletableFuture<List<Long>> tell(
            LocalReplica content, NodeId self, RepairPeers peers, Node node, BitSet partitions) {
        RepairRequest.Purged told = new RepairRequest.Purged(self.value(), partitions, content.purged(partitions));
        return peers.ask(node, told, TIMEOUT).thenApply(reply -> ((RepairReply.Purged) reply).purged());
    }

    /** Handles purge watermarks that another node has reported and that have been checked. */
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
        // Partitions that are added later are asked about while they are read.
        waiting &= !unheard.isEmpty();
        update();
        if (unheard.isEmpty() && patience != null) {
            patience.cancel();
        }
        if (unheard.isEmpty() && warned) {
            warned = false;
            // At the level of the warning at the beginning.
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

    /** Lets reads proceed without answers. Called with the lock held. */
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

    /** Refuses reads of the partitions that still wait for an answer. Called with the lock held. */
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
