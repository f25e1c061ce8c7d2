package io.dht4j.core.internal.coordinator.atomic;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.coordinator.peer.OutboundRequest;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Learns whether all members serve registers: nodes of earlier versions do not. Asks all members until each has
 * announced that it does, or one of them has used registers before, which implies that all had announced it. Does not
 * block; safe for use by any number of threads.
 */
final class RegisterMembers {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final RegisterServices services;
    private final BooleanSupplier isUsed;
    private volatile boolean isKnown;

    /** What is being asked now. Guarded by this. */
    private @Nullable Inquiry current;

    /**
     * Creates an object that has not asked.
     *
     * @param isUsed whether this node has ever served registers
     */
    RegisterMembers(RegisterServices services, BooleanSupplier isUsed) {
        this.services = services;
        this.isUsed = isUsed;
    }

    /** Why registers cannot be used yet. */
    enum Obstacle {
        NONE,
        /** A member does not answer: it may be of an earlier version. */
        SILENT,
        /** A member is of an earlier version. */
        EARLIER
    }

    /**
     * The result of an inquiry.
     *
     * @param why for people
     */
    record Answer(Obstacle obstacle, String why) {}

    /** Returns whether all members are known to serve registers. */
    boolean isKnown() {
        if (!isKnown && isUsed.getAsBoolean()) {
            isKnown = true;
        }
        return isKnown;
    }

    /** Asks all members, together with calls that ask at the same time. Never fails. */
    CompletableFuture<Answer> ask() {
        Inquiry inquiry;
        synchronized (this) {
            if (current != null && !current.result.isDone()) {
                return current.result;
            }
            inquiry = new Inquiry();
            current = inquiry;
        }
        try {
            inquiry.start();
        } catch (RuntimeException | Error e) {
            inquiry.result.complete(new Answer(Obstacle.SILENT, "the members could not be asked: " + e));
        }
        return inquiry.result;
    }

    private final class Inquiry {

        final CompletableFuture<Answer> result = new CompletableFuture<>();

        // Guarded by this.
        private int open;
        private Answer worst = new Answer(Obstacle.NONE, "all members serve atomic operations");

        void start() {
            ClusterView view = services.components().view();
            List<Node> others = view.topology().nodes().stream()
                    .filter(node -> !node.id().equals(view.self()))
                    .filter(node -> !view.moves().dead().contains(node.id()))
                    .toList();
            open = others.size();
            if (others.isEmpty()) {
                end();
            }
            CallContext limited = new CallContext(services.environment()::nanoTime, PATIENCE_NANOS);
            for (Node node : others) {
                services.client()
                        .ask(
                                node,
                                OutboundRequest.alone(new Request.Features()),
                                limited,
                                ReplyHandler.of(reply -> replied(node.id(), reply), this::failed));
            }
        }

        private void replied(NodeId node, Reply reply) {
            Reply.Features features = (Reply.Features) reply;
            if (features.hasUsedRegisters()) {
                isKnown = true;
                result.complete(new Answer(Obstacle.NONE, node + " has used atomic operations"));
            } else {
                answered(features.servesRegisters() ? null : earlier(node));
            }
        }

        private void failed(PeerFailure failure) {
            answered(
                    failure.code() == ErrorCode.MALFORMED_FRAME
                            ? earlier(failure.node())
                            : new Answer(
                                    Obstacle.SILENT,
                                    "atomic operations are used first when all members have announced them, and "
                                            + failure));
        }

        private static Answer earlier(NodeId node) {
            return new Answer(
                    Obstacle.EARLIER,
                    "node " + node + " runs an earlier version, without atomic operations: upgrade it first");
        }

        private void answered(@Nullable Answer obstacle) {
            synchronized (this) {
                if (obstacle != null && obstacle.obstacle().compareTo(worst.obstacle()) > 0) {
                    worst = obstacle;
                }
                open--;
                if (open > 0) {
                    return;
                }
            }
            end();
        }

        private void end() {
            Answer answer;
            synchronized (this) {
                answer = worst;
            }
            if (answer.obstacle() == Obstacle.NONE) {
                isKnown = true;
            }
            result.complete(answer);
        }
    }
}
