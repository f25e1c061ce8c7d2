package io.dht4j.core.internal.coordinator;

import io.dht4j.ClockProblem;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.OverloadCounts;
import io.dht4j.RefillStatus;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node says of itself. A store may look at its disk to tell how much it holds, so that happens on a store thread, one
 * look at a time: those who ask meanwhile share its answer. Safe for use by any number of threads; does not block.
 */
final class StatusReport {

    private static final Logger LOG = LoggerFactory.getLogger(StatusReport.class);

    private static final long UNKNOWN = -1;

    private final Parts parts;
    private final Limits limits;
    private final Handoff handoff;
    private final Supplier<OverloadCounts> overload;
    private final Supplier<RefillStatus> refill;
    private final Supplier<Set<NodeId>> suspects;
    private final Supplier<Optional<ClockProblem>> clock;
    private final Environment environment;
    private final long startedNanos;
    private final AtomicReference<@Nullable CompletableFuture<NodeStatus>> underWay = new AtomicReference<>();

    StatusReport(
            Parts parts,
            Limits limits,
            Handoff handoff,
            Supplier<RefillStatus> refill,
            Supplier<Set<NodeId>> suspects,
            Supplier<Optional<ClockProblem>> clock,
            Supplier<OverloadCounts> overload) {
        this.parts = parts;
        this.overload = overload;
        this.handoff = handoff;
        this.refill = refill;
        this.suspects = suspects;
        this.clock = clock;
        this.limits = limits;
        this.environment = parts.environment();
        this.startedNanos = environment.nanoTime();
    }

    CompletableFuture<NodeStatus> ask() {
        CompletableFuture<NodeStatus> status = new CompletableFuture<>();
        CompletableFuture<NodeStatus> shared = underWay.compareAndExchange(null, status);
        if (shared != null) {
            return shared.copy();
        }
        CompletableFuture<NodeStatus> answer = status.whenComplete((done, error) -> underWay.set(null));
        try {
            Environment.Timer deadline = environment.schedule(
                    () -> status.completeExceptionally(
                            storeFailed("the store did not tell its size before the deadline")),
                    limits.timeout().toNanos());
            answer = answer.whenComplete((done, error) -> deadline.cancel());
            environment.storeExecutor().execute(() -> tell(status));
        } catch (RejectedExecutionException e) {
            status.completeExceptionally(new UnavailableException(ErrorCode.NOT_SERVING, "this node is closed"));
        }
        return answer;
    }

    private void tell(CompletableFuture<NodeStatus> status) {
        long entries = UNKNOWN;
        try {
            entries = parts.store().entries();
        } catch (RuntimeException e) {
            // Those who ask want to know what is wrong, all the more.
            LOG.warn("the store cannot tell its size: {}", e.getMessage());
        }
        try {
            status.complete(with(entries));
        } catch (RuntimeException e) {
            LOG.error("the status cannot be told", e);
            status.completeExceptionally(storeFailed(String.valueOf(e.getMessage())));
        }
    }

    private NodeStatus with(long entries) {
        String version = StatusReport.class.getPackage().getImplementationVersion();
        return new NodeStatus(
                parts.self(),
                parts.topology(),
                limits.replicationFactor(),
                parts.table().partitions(),
                parts.placement(),
                parts.hash().name(),
                parts.transport().name(),
                parts.store().name(),
                version == null ? "development" : version,
                entries,
                handoff.bytes(),
                handoff.droppedBytes(),
                overload.get(),
                parts.store().problems(),
                refill.get(),
                suspected(),
                clock.get(),
                Duration.ofNanos(environment.nanoTime() - startedNanos));
    }

    private List<NodeId> suspected() {
        Set<NodeId> now = suspects.get();
        return parts.topology().nodes().stream()
                .map(Node::id)
                .filter(now::contains)
                .toList();
    }

    private static UnavailableException storeFailed(String message) {
        return new UnavailableException(ErrorCode.STORE_FAILED, message);
    }
}
