package io.dht4j.core.internal.coordinator.read;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.OverloadedException;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.peer.Outgoing;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.coordinator.quorum.EntryGroups;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the replicas that a read found behind up to date, with the newest entry as it is: its version, whether it is a
 * tombstone, its expiry. Nothing of it is made for a read whose answers agree.
 *
 * <p>A read of a quorum waits until as many replicas hold what it returns as its policy asks for, so that every later
 * read whose replicas overlap with them sees that too: the second phase of a read in H. Attiya, A. Bar-Noy and D.
 * Dolev, <em>Sharing Memory Robustly in Message-Passing Systems</em>, 1995. As there, the entry goes to all replicas
 * that are not known to hold it, so that one which answers but takes no writes holds nobody up. Other reads, and
 * answers that come late, are repaired behind the reply. Nobody waits for that, so it is bounded by itself, and left
 * out past the bound: a later read or the background repair makes up for it.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
public final class ReadRepair {

    private static final Logger LOG = LoggerFactory.getLogger(ReadRepair.class);

    private final NodeComponents parts;
    private final NodeConfig limits;
    private final ReplicaClient peers;
    private final Admission behind;
    /** Who waits for what is on its way. */
    private final Map<Joint, List<Delivery>> underWay = new ConcurrentHashMap<>();

    private final AtomicLong leftOut = new AtomicLong();

    /** What several reads may want at the same time, and only one needs to send. */
    private record Joint(NodeId node, Entry entry) {}

    /** An entry for one node. */
    private record Delivery(Repair repair, Node node) {}

    public ReadRepair(NodeComponents parts, NodeConfig limits, ReplicaClient peers) {
        this.parts = parts;
        this.limits = limits;
        this.peers = peers;
        this.behind = new Admission("repairs behind reads", limits.maxInFlight(), limits.maxInFlightBytes());
    }

    /** Sends entries to the replicas that lack them, with as few requests to each node as their size allows. */
    public void send(List<Repair> repairs) {
        Map<Node, List<Delivery>> deliveries = new LinkedHashMap<>();
        for (Repair repair : repairs) {
            for (Node node : repair.targets) {
                Delivery delivery = new Delivery(repair, node);
                if (isFirst(delivery)) {
                    deliveries.computeIfAbsent(node, n -> new ArrayList<>()).add(delivery);
                }
            }
        }
        // This node's own replica last: it may do its work on this thread, and the others need not wait for that.
        List<Delivery> own = new ArrayList<>();
        deliveries.forEach((node, all) -> {
            if (peers.isSelf(node)) {
                own.addAll(all);
            } else {
                sendTo(node, all);
            }
        });
        if (!own.isEmpty()) {
            sendTo(own.get(0).node(), own);
        }
    }

    private void sendTo(Node node, List<Delivery> deliveries) {
        EntryGroups.split(
                deliveries, each -> each.repair().entry, limits.maxValueBytes(), part -> sendPart(node, part));
    }

    private void sendPart(Node node, List<Delivery> deliveries) {
        List<Entry> entries =
                deliveries.stream().map(each -> each.repair().entry).toList();
        // Not the read's own context: it may be cancelled when the read ends, and the others shall still get the entry.
        CallContext context =
                new CallContext(parts.environment()::nanoTime, limits.timeout().toNanos());
        peers.ask(node, Outgoing.of(new Request.ApplyEntries(entries)), context, new ReplyHandler() {
            @Override
            public void replied(Reply reply) {
                LOG.debug("{} has caught up on {}", node.id(), entries);
                for (Delivery each : deliveries) {
                    ended(each).forEach(waiting -> waiting.repair().done());
                }
            }

            @Override
            public void failed(PeerFailure failure) {
                LOG.debug("{} stays behind on {}: {}", node.id(), entries, failure);
                for (Delivery each : deliveries) {
                    ended(each).forEach(waiting -> waiting.repair().missed(failure.toString()));
                }
            }
        });
    }

    /** Whether an entry is to be sent for this delivery; if not, it waits for one that is under way, or is left out. */
    private boolean isFirst(Delivery delivery) {
        boolean[] first = {false};
        underWay.compute(joint(delivery), (joint, waiting) -> {
            if (waiting != null) {
                waiting.add(delivery);
                return waiting;
            }
            if (!delivery.repair().isAwaited() && !mayBegin(delivery)) {
                return null;
            }
            first[0] = true;
            List<Delivery> begun = new ArrayList<>(1);
            begun.add(delivery);
            return begun;
        });
        return first[0];
    }

    private boolean mayBegin(Delivery delivery) {
        try {
            behind.enter(bytes(delivery));
            return true;
        } catch (OverloadedException | UnavailableException e) {
            LOG.debug("a repair was left out, the {}th: {}", leftOut.incrementAndGet(), e.getMessage());
            return false;
        }
    }

    /** Who has waited for a delivery; nobody else can any more. */
    private List<Delivery> ended(Delivery delivery) {
        if (!delivery.repair().isAwaited()) {
            behind.leave(bytes(delivery));
        }
        return Objects.requireNonNull(underWay.remove(joint(delivery)));
    }

    private static Joint joint(Delivery delivery) {
        return new Joint(delivery.node().id(), delivery.repair().entry);
    }

    private static long bytes(Delivery delivery) {
        Entry entry = delivery.repair().entry;
        return (long) entry.key().length() + entry.value().length;
    }
}
