package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PrintableText;
import io.dht4j.Topology;
import io.dht4j.core.internal.replica.PeerEndpoint;
import io.dht4j.core.internal.wire.ClusterSettings;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs which nodes are not who or what they should be: another node at a node's address, and settings that differ. Each
 * is logged once for as long as it lasts. Does not block; safe for use by any number of threads.
 */
public final class Disagreements implements PeerEndpoint.Complaints {

    private static final Logger LOG = LoggerFactory.getLogger(Disagreements.class);

    /** The maximum number of callers to remember: without certificates, a caller can use any names. */
    private static final int MOST_CALLERS = 1_000;

    /** The shortest time between two log messages about one caller with several errors. */
    private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** The shortest time between two requests to a refusing node, which status requests cause. */
    private static final long ASK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final NodeId self;
    private final Supplier<ClusterSettings> settings;
    private final Supplier<Topology> topology;
    private final Consumer<Node> ping;
    /** The last message about each node that this one has called; bounded by the number of nodes. */
    private final Map<NodeId, String> ofCalled = new ConcurrentHashMap<>();
    /** The last message about each caller. */
    private final Map<NodeId, Complaint> ofCallers = new ConcurrentHashMap<>();

    private final LongSupplier nanoTime;
    private final AtomicLong askedAgain;

    private record Complaint(Object what, long nanos) {}

    /**
     * Creates an object that has logged nothing.
     *
     * @param self this node
     * @param settings returns its settings
     * @param topology returns the nodes
     * @param ping sends a request to a node, whose refusal reports its settings
     * @param nanoTime the monotonic clock
     */
    public Disagreements(
            NodeId self,
            Supplier<ClusterSettings> settings,
            Supplier<Topology> topology,
            Consumer<Node> ping,
            LongSupplier nanoTime) {
        this.self = self;
        this.settings = settings;
        this.topology = topology;
        this.ping = ping;
        this.nanoTime = nanoTime;
        this.askedAgain = new AtomicLong(nanoTime.getAsLong());
    }

    /**
     * Handles a node that has refused a request because its settings differ.
     *
     * @param node the node
     * @param others its settings
     * @return the differences, in one line
     */
    public String settings(Node node, ClusterSettings others) {
        String differences = "configured otherwise: "
                + settings.get().differences(others, self.value(), node.id().value());
        if (!differences.equals(ofCalled.put(node.id(), differences))) {
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
        String found = "is " + actual;
        if (!found.equals(ofCalled.put(node.id(), found))) {
            LOG.error(
                    "the node at {} is {}, not {}: correct the addresses in this node's list of nodes. Until then {}"
                            + " gets no requests of this node",
                    node.address(),
                    actual,
                    node.id(),
                    node.id());
        }
    }

    /**
     * Handles a node that answers as it should.
     *
     * @param node the node
     */
    public void settled(NodeId node) {
        if (!ofCalled.isEmpty() && ofCalled.remove(node) != null) {
            LOG.info("{} is the right node now, configured as this one", node);
        }
    }

    /**
     * Returns the nodes that refuse this one because of its settings, or whose address belongs to another, as of their
     * last answers. Asks these nodes again, at most once a second.
     *
     * @return the nodes; mostly none
     */
    public Set<NodeId> ofCalled() {
        Set<NodeId> now = Set.copyOf(ofCalled.keySet());
        long last = askedAgain.get();
        long time = nanoTime.getAsLong();
        if (!now.isEmpty() && time - last >= ASK_NANOS && askedAgain.compareAndSet(last, time)) {
            now.forEach(id -> topology.get().node(id).ifPresent(ping));
        }
        return now;
    }

    /**
     * Follows a change of the nodes: those that have left are reported no more.
     *
     * @param before the nodes until now
     * @param now the nodes
     */
    public void follow(Topology before, Topology now) {
        ofCalled.keySet().removeIf(node -> now.node(node).isEmpty());
        ofCallers
                .keySet()
                .removeIf(
                        node -> before.node(node).isPresent() && now.node(node).isEmpty());
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
        long now = nanoTime.getAsLong();
        Complaint last = ofCallers.get(caller);
        boolean isNew = last == null
                ? ofCallers.size() < MOST_CALLERS
                : !last.what().equals(what) && now - last.nanos() >= PAUSE_NANOS;
        return isNew && Objects.equals(last, ofCallers.put(caller, new Complaint(what, now)));
    }
}
