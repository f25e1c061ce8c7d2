package io.dht4j.core.internal.coordinator.node;

import io.dht4j.ClockProblem;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.OverloadCounts;
import io.dht4j.RefillStatus;
import io.dht4j.StoreStatistics;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.spi.Environment;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.StoreSpace;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assembles the status of a node. A store may read its disk to count its entries, so a store thread does this, one
 * count at a time, which concurrent requests share. The status is needed most when the store threads are busy or stuck,
 * so a request waits for a count only briefly. Then it returns the last count, and for how long a newer one has been
 * due. Does not block; safe for use by any number of threads.
 */
final class StatusReport {

    private static final Logger LOG = LoggerFactory.getLogger(StatusReport.class);

    private static final long UNKNOWN = -1;

    /** The longest wait for a count. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final NodeComponents components;
    private final Handoff handoff;
    private final Supplier<OverloadCounts> overload;
    private final Supplier<RefillStatus> refill;
    private final Supplier<Set<NodeId>> suspects;
    private final Supplier<Set<NodeId>> disagreeing;
    private final Supplier<Optional<ClockProblem>> clock;
    private final Environment environment;
    private final long startedNanos;
    private final AtomicReference<@Nullable EntryCountRequest> running = new AtomicReference<>();
    private volatile EntryCount known;
    private volatile Optional<StoreSpace> space = Optional.empty();
    private volatile Optional<StoreStatistics> statistics = Optional.empty();

    StatusReport(
            NodeComponents components,
            Handoff handoff,
            Supplier<RefillStatus> refill,
            Supplier<Set<NodeId>> suspects,
            Supplier<Set<NodeId>> disagreeing,
            Supplier<Optional<ClockProblem>> clock,
            Supplier<OverloadCounts> overload) {
        this.components = components;
        this.overload = overload;
        this.handoff = handoff;
        this.refill = refill;
        this.suspects = suspects;
        this.disagreeing = disagreeing;
        this.clock = clock;
        this.environment = components.environment();
        this.startedNanos = environment.nanoTime();
        this.known = new EntryCount(UNKNOWN, startedNanos);
    }

    /** The number of entries, and the time of the count. */
    private record EntryCount(long entries, long atNanos) {}

    /** A running count, and the time when it began. */
    private record EntryCountRequest(CompletableFuture<EntryCount> count, long begunNanos) {}

    /** Returns the status. Completes at once, or when the store has counted its entries soon. */
    CompletableFuture<NodeStatus> ask() {
        EntryCountRequest own = new EntryCountRequest(new CompletableFuture<>(), environment.nanoTime());
        EntryCountRequest shared = running.compareAndExchange(null, own);
        CompletableFuture<NodeStatus> answer = new CompletableFuture<>();
        if (shared != null && environment.nanoTime() - shared.begunNanos() >= PATIENCE_NANOS) {
            // It may take long, so nothing is chained to it.
            complete(answer, known);
            return answer;
        }
        if (shared == null) {
            begin(own);
        }
        Environment.Timer timer;
        try {
            timer = environment.schedule(() -> complete(answer, known), PATIENCE_NANOS);
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(closed());
            return answer;
        }
        (shared == null ? own : shared).count().whenComplete((count, error) -> {
            timer.cancel();
            if (error == null) {
                complete(answer, count);
            } else {
                answer.completeExceptionally(failure(error));
            }
        });
        return answer;
    }

    /** Begins a count. After an error, the next request begins another one. */
    private void begin(EntryCountRequest request) {
        try {
            environment.storeExecutor().execute(() -> count(request));
        } catch (RuntimeException | Error e) {
            running.set(null);
            request.count().completeExceptionally(e);
        }
    }

    private static DhtException failure(Throwable error) {
        if (error instanceof RejectedExecutionException) {
            return closed();
        }
        return new UnavailableException(ErrorCode.STORE_FAILED, "the entries cannot be counted: " + error);
    }

    private static UnavailableException closed() {
        return new UnavailableException(ErrorCode.NOT_SERVING, "this node is closed");
    }

    private void count(EntryCountRequest request) {
        EntryCount count;
        try {
            count = new EntryCount(entries(), environment.nanoTime());
            known = count;
            space = measuredSpace();
            statistics = measuredStatistics();
        } catch (RuntimeException | Error e) {
            running.set(null);
            request.count().completeExceptionally(e);
            return;
        }
        running.set(null);
        request.count().complete(count);
    }

    private long entries() {
        try {
            return components.store().entries();
        } catch (RuntimeException | Error e) {
            // The rest of the status is needed all the more.
            LOG.warn("the store cannot count its entries: {}", FileFailure.inWords(e));
            return UNKNOWN;
        }
    }

    private Optional<StoreSpace> measuredSpace() {
        try {
            return components.store().space();
        } catch (RuntimeException | Error e) {
            LOG.debug("the space of the store is unknown: {}", FileFailure.inWords(e));
            return Optional.empty();
        }
    }

    private Optional<StoreStatistics> measuredStatistics() {
        try {
            return components.store().statistics();
        } catch (RuntimeException | Error e) {
            LOG.debug("the statistics of the store are unknown: {}", FileFailure.inWords(e));
            return Optional.empty();
        }
    }

    /** Returns the statistics of the store at the last count; empty if they are unknown. */
    Optional<StoreStatistics> storeStatistics() {
        return statistics;
    }

    /** Returns the space of the store at the last count; empty if it is unknown. */
    Optional<StoreSpace> space() {
        return space;
    }

    private void complete(CompletableFuture<NodeStatus> answer, EntryCount count) {
        try {
            answer.complete(with(count));
        } catch (RuntimeException | Error e) {
            LOG.error("the status cannot be assembled", e);
            answer.completeExceptionally(
                    new UnavailableException(ErrorCode.STORE_FAILED, String.valueOf(e.getMessage())));
        }
    }

    /** Returns for how long a newer count has been due; zero without a request since the last one. */
    private Duration overdue(EntryCount count) {
        EntryCountRequest unanswered = running.get();
        long now = environment.nanoTime();
        long waited = now - count.atNanos();
        if (unanswered != null) {
            waited = Math.min(waited, now - unanswered.begunNanos());
        }
        // A count that has just arrived is current, however long this thread has waited for a processor.
        return waited < PATIENCE_NANOS ? Duration.ZERO : Duration.ofNanos(waited);
    }

    private NodeStatus with(EntryCount count) {
        String version = StatusReport.class.getPackage().getImplementationVersion();
        return new NodeStatus(
                components.self(),
                components.view().topology(),
                components.view().narrowest(),
                components.view().partitions(),
                components.placement(),
                components.hash().name(),
                components.transport().name(),
                components.store().name(),
                version == null ? "development" : version,
                count.entries(),
                overdue(count),
                handoff.bytes(),
                handoff.droppedBytes(),
                overload.get(),
                components.store().problems(),
                refill.get(),
                inOrder(suspects.get()),
                inOrder(disagreeing.get()),
                clock.get(),
                Duration.ofNanos(environment.nanoTime() - startedNanos),
                Map.of());
    }

    private List<NodeId> inOrder(Set<NodeId> some) {
        return components.view().topology().nodes().stream()
                .map(Node::id)
                .filter(some::contains)
                .toList();
    }
}
