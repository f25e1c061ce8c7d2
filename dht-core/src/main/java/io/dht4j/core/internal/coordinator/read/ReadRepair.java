package io.dht4j.core.internal.coordinator.read;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.OverloadedException;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.coordinator.quorum.RequestGroups;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.core.internal.wire.codec.FrameCodec;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends the newest entry to the replicas that a read has found behind, unchanged: with its version and its expiry, or
 * as a tombstone. Without cost while the answers of reads agree.
 *
 * <p>A quorum read waits until as many replicas hold its result as its policy requires, so that every later read whose
 * replicas overlap with them sees it too. This is the second phase of a read in H. Attiya, A. Bar-Noy and D. Dolev,
 * <em>Sharing Memory Robustly in Message-Passing Systems</em>, 1995. As there, the entry goes to all replicas that are
 * not known to hold it, so that a replica that answers but accepts no writes causes no delay. Other reads, and late
 * answers, are repaired after the reply. These repairs have a bound of their own and are left out past it: a later read
 * or the background repair makes up for them.
 *
 * <p>Does not block; safe for use by any number of threads.
 */
public final class ReadRepair {

    private static final Logger LOG = LoggerFactory.getLogger(ReadRepair.class);

    /** Why a replica refuses all entries of a request for one of them. The others are sent again without it. */
    private static final Set<ErrorCode> REFUSALS_OF_ONE =
            Set.of(ErrorCode.VERSION_TOO_OLD, ErrorCode.VERSION_TOO_FAR_AHEAD, ErrorCode.VALUE_TOO_LARGE);

    private final NodeConfig config;
    private final ReplicaClient client;
    /** Bounds the repairs after replies. */
    private final Admission behindReplies;
    /** The deliveries that wait for a request in flight. */
    private final Map<DeliveryKey, List<Delivery>> inFlight = new ConcurrentHashMap<>();

    private final AtomicLong leftOut = new AtomicLong();

    /** A delivery that several reads by one table may want at the same time and only one sends. */
    private record DeliveryKey(
            NodeId node, Entry entry, @Nullable FencingToken token) {}

    /** An entry for one node. */
    private record Delivery(Repair repair, Node node) {}

    /**
     * Creates a read repair without repairs.
     *
     * @param config the options of this node
     * @param client sends entries
     */
    public ReadRepair(NodeConfig config, ReplicaClient client) {
        this.config = config;
        this.client = client;
        this.behindReplies = new Admission(
                "repairs behind reads",
                config.limits().maxInFlight(),
                config.limits().writeBytes());
    }

    /** Sends entries to the replicas that lack them, in as few requests to each node as their size allows. */
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
        client.order().localLast(deliveries, this::sendTo);
    }

    private void sendTo(Node node, List<Delivery> all) {
        FencingToken.byView(all, each -> each.repair().token).forEach(some -> sendByView(node, some));
    }

    private void sendByView(Node node, List<Delivery> deliveries) {
        RequestGroups.split(
                deliveries,
                each -> FrameCodec.encodedSize(each.repair().entry),
                config.limits().maxValueBytes(),
                part -> sendPart(node, part));
    }

    private void sendPart(Node node, List<Delivery> deliveries) {
        List<Entry> entries =
                deliveries.stream().map(each -> each.repair().entry).toList();
        FencingToken token = null;
        for (Delivery each : deliveries) {
            token = FencingToken.highest(token, each.repair().token);
        }
        // Not the read's own context, which may be cancelled when the read ends: the replicas still need the entry.
        CallContext context = client.context(config.calls().timeout());
        client.ask(
                node,
                OutboundRequest.of(new Request.ApplyEntries(entries), token),
                context,
                ReplyHandler.of(
                        reply -> {
                            LOG.debug("{} has caught up on {}", node.id(), entries);
                            for (Delivery each : deliveries) {
                                ended(each).forEach(waiting -> waiting.repair().done(node));
                            }
                        },
                        failure -> {
                            LOG.debug("{} stays behind on {}: {}", node.id(), entries, failure);
                            if (deliveries.size() > 1 && REFUSALS_OF_ONE.contains(failure.code())) {
                                deliveries.forEach(each -> sendPart(node, List.of(each)));
                                return;
                            }
                            for (Delivery each : deliveries) {
                                ended(each).forEach(waiting -> waiting.repair().missed(failure));
                            }
                        }));
    }

    /** Returns whether an entry is to be sent for this delivery. If not, it waits for one in flight, or is left out. */
    private boolean isFirst(Delivery delivery) {
        boolean[] first = {false};
        inFlight.compute(key(delivery), (key, waiting) -> {
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
            behindReplies.enter(bytes(delivery));
            return true;
        } catch (OverloadedException | UnavailableException e) {
            LOG.debug("a repair was left out, the {}th: {}", leftOut.incrementAndGet(), e.getMessage());
            return false;
        }
    }

    /** Ends a delivery. Returns all deliveries that have waited for it. */
    private List<Delivery> ended(Delivery delivery) {
        if (!delivery.repair().isAwaited()) {
            behindReplies.leave(bytes(delivery));
        }
        return Objects.requireNonNull(inFlight.remove(key(delivery)));
    }

    private static DeliveryKey key(Delivery delivery) {
        return new DeliveryKey(delivery.node().id(), delivery.repair().entry, delivery.repair().token);
    }

    private static long bytes(Delivery delivery) {
        Entry entry = delivery.repair().entry;
        return entry.bytes();
    }
}
