package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PrintableText;
import io.dht4j.Topology;
import io.dht4j.core.internal.replica.PeerEndpoint;
import io.dht4j.core.internal.wire.ClusterSettings;
import io.dht4j.spi.Environment;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks the nodes that answer at another node's address, and those whose settings differ. Logs each disagreement once
 * while it lasts. Does not block; safe for use by any number of threads.
 *
 * <p>A node that others refuse for its settings may place keys elsewhere or on fewer nodes, and acknowledge writes that
 * no other node finds. So it accepts no writes while any node refuses it and no majority is known to accept its
 * requests. The nodes of that majority accept each other, and continue.
 */
public final class Disagreements implements PeerEndpoint.Complaints {

    private static final Logger LOG = LoggerFactory.getLogger(Disagreements.class);

    /** The maximum number of callers to remember: without certificates, a caller can use any names. */
    private static final int MOST_CALLERS = 1_000;

    /** The shortest time between two log messages about one caller with several errors. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The shortest time between two requests to a refusing node, which status requests cause. */
    private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How long writes wait for a majority after the first refusal. */
    private static final long DECISION_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final NodeId self;
    private final Supplier<ClusterSettings> settings;
    private final Supplier<Topology> topology;
    private final Consumer<Node> ping;
    /** The last finding about each node that this one has called; bounded by the number of nodes. */
    private final Map<NodeId, Found> ofCalled = new ConcurrentHashMap<>();
    /** The nodes that have accepted a request of this one since they last refused one for its settings. */
    private final Set<NodeId> accepting = ConcurrentHashMap.newKeySet();
    /** The reason for refusing writes; empty if this node accepts them. */
    private volatile Optional<String> problem = Optional.empty();

    /** Ends the wait for a majority. Guarded by this. */
    private Environment.Timer deciding = () -> {};
    /** Guarded by this. */
    private boolean closed;

    /** Completes when the nodes that have neither accepted nor refused no longer matter, or their time is over. */
    private volatile CompletableFuture<Void> decided = CompletableFuture.completedFuture(null);

    /** The last message about each caller. */
    private final Map<NodeId, Complaint> ofCallers = new ConcurrentHashMap<>();

    private final Environment environment;
    private final AtomicLong askedAgain;

    private record Complaint(Object what, long nanos) {}

    /** The problem of a node, and whether it concerns the settings or the address. */
    private record Found(String text, boolean ofSettings) {}

    /**
     * Creates an object without disagreements.
     *
     * @param self this node
     * @param settings returns its settings
     * @param topology returns the nodes
     * @param ping sends a request to a node, whose refusal reports its settings
     * @param environment time and timers
     */
    public Disagreements(
            NodeId self,
            Supplier<ClusterSettings> settings,
            Supplier<Topology> topology,
            Consumer<Node> ping,
            Environment environment) {
        this.self = self;
        this.settings = settings;
        this.topology = topology;
        this.ping = ping;
        this.environment = environment;
        this.askedAgain = new AtomicLong(environment.nanoTime());
    }

    /**
     * Handles a node that has refused a request because its settings differ.
     *
     * @param node the node
     * @param others its settings
     * @return the differences, in one line
     */
    public String settings(Node node, ClusterSettings others) {
        ClusterSettings own = settings.get();
        if (own.equals(others)) {
            // They have become equal since the request was sent.
            return "configured otherwise until now";
        }
        String differences = "configured otherwise: "
                + own.differences(others, self.value(), node.id().value());
        Found found = new Found(differences, true);
        boolean isNews = !found.equals(ofCalled.put(node.id(), found));
        if (accepting.remove(node.id()) || isNews) {
            judge();
        }
        if (isNews) {
            LOG.error(
                    "{} at {} and this node take no requests of each other, since they are {}",
                    node.id(),
                    node.address(),
                    differences);
        }
        return differences;
    }

    /**
     * Handles an answer of another node at a node's address.
     *
     * @param node the expected node
     * @param actual the node that has answered
     */
    public void wrongNode(Node node, NodeId actual) {
        Found found = new Found("is " + actual, false);
        if (!found.equals(ofCalled.put(node.id(), found))) {
            judge();
            LOG.error(
                    "the node at {} is {}, not {}: its address is looked up again with each new connection; if {} is"
                            + " not found so, correct the addresses in this node's list of nodes",
                    node.address(),
                    actual,
                    node.id(),
                    node.id());
        }
    }

    /**
     * Handles a node that has accepted a request.
     *
     * @param node the node
     */
    public void settled(NodeId node) {
        boolean isFirst = !accepting.contains(node) && accepting.add(node);
        boolean wasWrong = !ofCalled.isEmpty() && ofCalled.remove(node) != null;
        if (isFirst || wasWrong) {
            judge();
        }
        if (wasWrong) {
            LOG.info("{} is the right node now, configured as this one", node);
        }
    }

    private void judge() {
        boolean begins;
        boolean isDecided;
        synchronized (this) {
            Optional<String> before = problem;
            Optional<String> now = found();
            begins = now.isPresent() && before.isEmpty() && !closed;
            if (begins) {
                CompletableFuture<Void> decision = new CompletableFuture<>();
                deciding.cancel();
                deciding = environment.schedule(() -> decision.complete(null), DECISION_NANOS);
                decided = decision;
            }
            isDecided = now.isEmpty() || 2 * refusing() >= topology.get().size();
            problem = now;
            announce(before, now);
        }
        if (isDecided) {
            decided.complete(null);
        }
        if (begins) {
            ask();
        }
    }

    /** Ends the wait for other nodes. The known answers decide the waiting writes. */
    public void close() {
        synchronized (this) {
            closed = true;
            deciding.cancel();
        }
        decided.complete(null);
    }

    private static void announce(Optional<String> before, Optional<String> now) {
        if (now.isPresent() && before.isEmpty()) {
            LOG.error(
                    "this node takes no writes, since {}. Make the settings equal and restart; writes are taken again"
                            + " when more than half of all nodes accept its requests",
                    now.get());
        } else if (now.isEmpty() && before.isPresent()) {
            LOG.info("this node takes writes again: its settings are those of more than half of all nodes");
        }
    }

    private long refusing() {
        return ofCalled.values().stream().filter(Found::ofSettings).count();
    }

    private Optional<String> found() {
        Optional<String> refusal = ofCalled.entrySet().stream()
                .filter(each -> each.getValue().ofSettings())
                .map(each -> each.getKey() + " refuses its requests as "
                        + each.getValue().text())
                .sorted()
                .findFirst();
        if (refusal.isEmpty()) {
            return refusal;
        }
        Topology nodes = topology.get();
        long agreeing = nodes.nodes().stream()
                .filter(node -> node.id().equals(self) || accepting.contains(node.id()))
                .count();
        return 2 * agreeing > nodes.size() ? Optional.empty() : refusal;
    }

    /**
     * Returns the reason for refusing writes. Asks nodes that have not accepted this node's requests again, at most
     * once a second.
     *
     * @return the node that refuses it, and each setting that differs, with both values; empty if it accepts writes
     */
    public Optional<String> problem() {
        Optional<String> known = problem;
        if (known.isPresent()) {
            askAgain();
        }
        return known;
    }

    /**
     * Works as {@link #problem}, but waits for half a second from the first refusal on: a majority may accept this
     * node's requests.
     *
     * @return completes at once in most cases
     */
    public CompletableFuture<Optional<String>> confirmedProblem() {
        Optional<String> known = problem();
        return known.isEmpty() ? CompletableFuture.completedFuture(known) : decided.thenApply(done -> problem);
    }

    /**
     * Returns the nodes that refuse this one because of its settings, or whose address belongs to another, as of their
     * last answers. Asks these nodes again, at most once a second.
     *
     * @return the nodes; mostly none
     */
    public Set<NodeId> ofCalled() {
        Set<NodeId> now = Set.copyOf(ofCalled.keySet());
        if (!now.isEmpty()) {
            askAgain();
        }
        return now;
    }

    private void askAgain() {
        long last = askedAgain.get();
        long time = environment.nanoTime();
        if (time - last >= ASK_NANOS && askedAgain.compareAndSet(last, time)) {
            ask();
        }
    }

    /** Asks the nodes that refuse this one or are not known to accept its requests. */
    private void ask() {
        for (Node node : topology.get().nodes()) {
            if (!node.id().equals(self) && (ofCalled.containsKey(node.id()) || !accepting.contains(node.id()))) {
                ping.accept(node);
            }
        }
    }

    /**
     * Follows a change of the nodes: those that have left are no longer reported.
     *
     * @param before the nodes until now
     * @param now the nodes
     */
    public void follow(Topology before, Topology now) {
        ofCalled.keySet().removeIf(node -> now.node(node).isEmpty());
        accepting.removeIf(node -> now.node(node).isEmpty());
        ofCallers
                .keySet()
                .removeIf(
                        node -> before.node(node).isPresent() && now.node(node).isEmpty());
        judge();
    }

    @Override
    public void misdirected(NodeId sender, NodeId recipient) {
        if (isNew(sender, recipient)) {
            LOG.error("{} takes this node, {}, for {}: its list of nodes has a wrong address", sender, self, recipient);
        }
    }

    @Override
    public void configuredOtherwise(NodeId sender, long fingerprint) {
        if (!isNew(sender, fingerprint)) {
            return;
        }
        // Its refusal of a ping reports the differences.
        topology.get()
                .node(sender)
                .ifPresentOrElse(
                        ping,
                        () -> LOG.error(
                                "refused {}, which is configured otherwise than this node and is none of its "
                                        + "nodes; its log"
                                        + " says what differs",
                                sender));
    }

    @Override
    public void impersonated(NodeId sender, Set<String> proven) {
        String names = PrintableText.of(new TreeSet<>(proven));
        if (isNew(sender, names)) {
            LOG.error("refused requests in the name of {}: the certificate of their sender names {}", sender, names);
        }
    }

    @Override
    public void sharesSlot(NodeId sender, NodeId holder) {
        if (isNew(sender, holder)) {
            LOG.error(
                    "refused a write of member {}, which has the version slot of member {}: their names decide "
                            + "it, so rename one",
                    sender,
                    holder);
        }
    }

    private boolean isNew(NodeId caller, Object what) {
        long now = environment.nanoTime();
        Complaint last = ofCallers.get(caller);
        boolean isNew = last == null
                ? ofCallers.size() < MOST_CALLERS
                : !last.what().equals(what) && now - last.nanos() >= PAUSE_NANOS;
        return isNew && Objects.equals(last, ofCallers.put(caller, new Complaint(what, now)));
    }
}
