package io.dht4j.core.internal.coordinator.node;

import io.dht4j.ClockProblem;
import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.NodeStatus;
import io.dht4j.OverloadCounts;
import io.dht4j.RefillStatus;
import io.dht4j.UnavailableException;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.handoff.Handoff;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.List;
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
 * What a node says of itself. A store may look at its disk to tell how much it holds, so that happens on a store
 * thread, one look at a time: those who ask meanwhile share its answer. The status is wanted most when the store
 * threads are busy or stand still, so nobody waits for them long: then the last number is told, with its age. Safe for
 * use by any number of threads; does not block.
 */
final class StatusReport {

    private static final Logger LOG = LoggerFactory.getLogger(StatusReport.class);

    private static final long UNKNOWN = -1;

    /** What the store told last is told again if it has told nothing new by then. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final NodeComponents parts;
    private final NodeConfig limits;
    private final Handoff handoff;
    private final Supplier<OverloadCounts> overload;
    private final Supplier<RefillStatus> refill;
    private final Supplier<Set<NodeId>> suspects;
    private final Supplier<Optional<ClockProblem>> clock;
    private final Environment environment;
    private final long startedNanos;
    private final AtomicReference<@Nullable Look> underWay = new AtomicReference<>();
    private volatile Counted known;

    StatusReport(
            NodeComponents parts,
            NodeConfig limits,
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
        this.known = new Counted(UNKNOWN, startedNanos);
    }

    /** How many entries the store had, and when. */
    private record Counted(long entries, long atNanos) {}

    /** The store is asked for its entries. */
    private record Look(CompletableFuture<Counted> counted, long begunNanos) {}

    /** Completes at once, or soon if the store tells soon. */
    CompletableFuture<NodeStatus> ask() {
        CompletableFuture<Counted> mine = new CompletableFuture<>();
        Look look = new Look(mine, environment.nanoTime());
        Look shared = underWay.compareAndExchange(null, look);
        CompletableFuture<NodeStatus> answer = new CompletableFuture<>();
        if (shared != null && environment.nanoTime() - shared.begunNanos() >= PATIENCE_NANOS) {
            // It may be long, so that nothing is hung on it.
            tell(answer, known);
            return answer;
        }
        if (shared == null) {
            begin(look);
        }
        Environment.Timer timer;
        try {
            timer = environment.schedule(() -> tell(answer, known), PATIENCE_NANOS);
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(closed());
            return answer;
        }
        (shared == null ? look : shared).counted().whenComplete((counted, error) -> {
            timer.cancel();
            if (error == null) {
                tell(answer, counted);
            } else {
                answer.completeExceptionally(error);
            }
        });
        return answer;
    }

    private void begin(Look look) {
        try {
            environment.storeExecutor().execute(() -> count(look));
        } catch (RejectedExecutionException e) {
            underWay.set(null);
            look.counted().completeExceptionally(closed());
        }
    }

    private static UnavailableException closed() {
        return new UnavailableException(ErrorCode.NOT_SERVING, "this node is closed");
    }

    private void count(Look look) {
        long entries = UNKNOWN;
        try {
            entries = parts.store().entries();
        } catch (RuntimeException e) {
            // Those who ask want to know what is wrong, all the more.
            LOG.warn("the store cannot tell its size: {}", e.getMessage());
        } finally {
            Counted counted = new Counted(entries, environment.nanoTime());
            known = counted;
            underWay.set(null);
            look.counted().complete(counted);
        }
    }

    private void tell(CompletableFuture<NodeStatus> answer, Counted counted) {
        try {
            answer.complete(with(counted));
        } catch (RuntimeException | Error e) {
            LOG.error("the status cannot be told", e);
            answer.completeExceptionally(
                    new UnavailableException(ErrorCode.STORE_FAILED, String.valueOf(e.getMessage())));
        }
    }

    private NodeStatus with(Counted counted) {
        String version = StatusReport.class.getPackage().getImplementationVersion();
        long now = environment.nanoTime();
        // What has just come is of now, however long this thread has waited for a processor.
        boolean isFresh = now - counted.atNanos() < PATIENCE_NANOS;
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
                counted.entries(),
                isFresh ? Duration.ZERO : Duration.ofNanos(now - counted.atNanos()),
                handoff.bytes(),
                handoff.droppedBytes(),
                overload.get(),
                parts.store().problems(),
                refill.get(),
                suspected(),
                clock.get(),
                Duration.ofNanos(now - startedNanos));
    }

    private List<NodeId> suspected() {
        Set<NodeId> now = suspects.get();
        return parts.topology().nodes().stream()
                .map(Node::id)
                .filter(now::contains)
                .toList();
    }
}
