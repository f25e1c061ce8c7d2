package io.dht4j.core.internal.membership.agreed.log;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.membership.agreed.peer.MembershipRequestSender;
import io.dht4j.core.internal.wire.MembershipReply;
import io.dht4j.core.internal.wire.MembershipRequest;
import io.dht4j.core.internal.wire.MembershipRequest.LogPart;
import io.dht4j.spi.NodeRef;
import io.dht4j.spi.TopologyLog;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries the messages of the topology log over the node's transport. A message that is larger than a frame travels in
 * parts; a lost part loses the message, which the log repeats. Drops messages to other members of the log than this
 * node, and messages of nodes that are not present. Does not block; safe for use by any number of threads.
 */
public final class LogMessages implements TopologyLog.Wire {

    private static final Logger LOG = LoggerFactory.getLogger(LogMessages.class);

    /** Further messages to a node are dropped; the log repeats what matters. */
    private static final int MOST_UNDER_WAY = 64;

    private final MembershipRequestSender requests;
    private final Function<NodeId, Optional<Node>> nodes;
    private final Function<UUID, Optional<Node>> incarnations;
    private final Supplier<Optional<NodeRef>> own;
    private final BiConsumer<NodeRef, byte[]> receiver;
    private final AtomicInteger numbers;
    private final AtomicLong dropped = new AtomicLong();
    /** Bounded by the number of all past and present members. */
    private final Map<UUID, AtomicInteger> underWay = new ConcurrentHashMap<>();

    /** The incomplete message of each present sender. Guarded by itself. */
    private final Map<NodeId, Incomplete> incomplete = new HashMap<>();

    private static final class Incomplete {
        private final UUID from;
        private final int message;
        private final int count;
        private final SortedMap<Integer, byte[]> parts = new TreeMap<>();

        Incomplete(LogPart first) {
            from = first.from();
            message = first.message();
            count = first.parts();
        }

        boolean has(LogPart part) {
            return from.equals(part.from()) && message == part.message() && count == part.parts();
        }

        /** Returns the message once it is complete. */
        Optional<byte[]> add(LogPart part) {
            parts.put(part.part(), part.bytes());
            if (parts.size() < count) {
                return Optional.empty();
            }
            ByteArrayOutputStream all = new ByteArrayOutputStream();
            parts.values().forEach(all::writeBytes);
            return Optional.of(all.toByteArray());
        }
    }

    /**
     * Creates a carrier.
     *
     * @param requests sends requests
     * @param nodes returns the present node of a name, which may send messages
     * @param incarnations returns the node with an incarnation: only this node may send messages with it
     * @param own returns this node as a member of the log; empty if it is none
     * @param receiver receives the messages of others
     * @param firstNumber differs from start to start of this node, so that parts of two messages are never joined
     */
    public LogMessages(
            MembershipRequestSender requests,
            Function<NodeId, Optional<Node>> nodes,
            Function<UUID, Optional<Node>> incarnations,
            Supplier<Optional<NodeRef>> own,
            BiConsumer<NodeRef, byte[]> receiver,
            int firstNumber) {
        this.requests = requests;
        this.nodes = nodes;
        this.incarnations = incarnations;
        this.own = own;
        this.receiver = receiver;
        this.numbers = new AtomicInteger(firstNumber);
    }

    @Override
    public void send(NodeRef to, byte[] message) {
        Optional<Node> node = nodes.apply(to.name());
        Optional<NodeRef> from = own.get();
        AtomicInteger running = underWay.computeIfAbsent(to.incarnation(), id -> new AtomicInteger());
        int parts = Math.max(1, (message.length + MembershipRequest.MAX_BYTES - 1) / MembershipRequest.MAX_BYTES);
        if (node.isEmpty() || from.isEmpty() || running.get() >= MOST_UNDER_WAY || parts > LogPart.MAX_PARTS) {
            LOG.debug("a message of the topology log to {} is dropped", to);
            dropped.incrementAndGet();
            return;
        }
        int number = numbers.incrementAndGet();
        for (int part = 0; part < parts; part++) {
            int start = part * MembershipRequest.MAX_BYTES;
            byte[] bytes = parts == 1
                    ? message
                    : Arrays.copyOfRange(message, start, Math.min(message.length, start + MembershipRequest.MAX_BYTES));
            running.incrementAndGet();
            requests.ask(
                            node.get(),
                            new LogPart(from.get().incarnation(), to.incarnation(), number, part, parts, bytes),
                            MembershipReply.Taken.class)
                    .whenComplete((taken, error) -> running.decrementAndGet());
        }
    }

    /**
     * Receives a part of a message.
     *
     * @param sender the name of the sender, as in the frame
     * @param part the part
     * @return false if it is dropped, because of a wrong sender or recipient
     */
    public boolean received(NodeId sender, LogPart part) {
        boolean isRecipient =
                own.get().filter(here -> here.incarnation().equals(part.to())).isPresent();
        boolean isOther = incarnations
                .apply(part.from())
                .filter(node -> !node.id().equals(sender))
                .isPresent();
        if (!isRecipient || isOther || nodes.apply(sender).isEmpty()) {
            LOG.debug("a message of {} for incarnation {} is dropped", sender, part.to());
            dropped.incrementAndGet();
            return false;
        }
        Optional<byte[]> message = part.parts() == 1 ? Optional.of(part.bytes()) : completed(sender, part);
        message.ifPresent(bytes -> receiver.accept(new NodeRef(sender, part.from()), bytes));
        return true;
    }

    private Optional<byte[]> completed(NodeId sender, LogPart part) {
        synchronized (incomplete) {
            Incomplete message = incomplete.get(sender);
            if (message == null || !message.has(part)) {
                message = new Incomplete(part);
                incomplete.keySet().removeIf(other -> nodes.apply(other).isEmpty());
                incomplete.put(sender, message);
            }
            Optional<byte[]> complete = message.add(part);
            if (complete.isPresent()) {
                incomplete.remove(sender);
            }
            return complete;
        }
    }

    /** Returns how many messages and parts were dropped. */
    public long dropped() {
        return dropped.get();
    }
}
