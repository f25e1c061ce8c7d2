package io.dht4j.transport.http.internal.api;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.NodeStatus;
import io.dht4j.transport.common.ReadinessConditions;
import io.dht4j.transport.common.ReadinessConditions.Start;
import io.dht4j.transport.common.ReadinessConditions.Unmet;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells whoever watches the process whether it lives, and whether it should be sent requests. The answers are short
 * texts without details, since anyone may ask. Safe for use by any number of event loops.
 */
public final class HttpApiProbes {

    private static final Logger LOG = LoggerFactory.getLogger(HttpApiProbes.class);

    /**
     * Those who ask more often get an answer that is so old, at most: they must not make the node count its entries.
     */
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A node that is busy, so that its store does not tell its size at once, is judged by what it said last. */
    private static final Duration PATIENCE = Duration.ofMillis(200);

    /**
     * What was said longer ago counts no more. A store that was asked for its size so long ago, and has not answered
     * since, is not ready; one that nobody has asked for so long is.
     */
    private static final long OUTDATED_NANOS = ReadinessConditions.OUTDATED.toNanos();

    private static final List<String> TOO_FEW = List.of(Unmet.TOO_FEW_NODES.text());

    private static final int OK = 200;
    private static final int UNAVAILABLE = 503;

    private final Cluster cluster;
    private final HttpApiAdmission admission;
    private volatile @Nullable Asked last;
    private volatile @Nullable Said said;
    private volatile @Nullable Start started;
    private volatile Supplier<String> starting = () -> "";

    /** Creates the probes of a node that has started. */
    public HttpApiProbes(Cluster cluster, HttpApiAdmission admission) {
        this.cluster = cluster;
        this.admission = admission;
    }

    /** Lets readiness wait for the start of the node, until the text of what it waits for is empty. */
    public void starting(Supplier<String> waitsFor) {
        starting = waitsFor;
    }

    /** Answers that the process takes requests. */
    void live(HttpApiExchange exchange) {
        answer(exchange, OK, "alive");
    }

    /** Answers whether this node serves reads and writes, and what is in the way if it does not. */
    void ready(HttpApiExchange exchange) {
        if (admission.isStopping() || admission.isStopped()) {
            answer(exchange, UNAVAILABLE, "draining");
            return;
        }
        String waitsFor = starting.get();
        if (!waitsFor.isEmpty()) {
            answer(exchange, List.of(waitsFor));
            return;
        }
        boolean isFirst = started == null;
        Start start = start();
        CompletionStage<NodeStatus> status = status();
        exchange.startTimer(PATIENCE, () -> {
            Said known = said;
            if (known != null && System.nanoTime() - known.at < OUTDATED_NANOS) {
                answer(exchange, known.missing.isEmpty() && start.isGoingOn() ? TOO_FEW : known.missing);
            }
        });
        status.whenComplete((now, error) -> exchange.later(() -> {
            if (exchange.isOver()) {
                return;
            }
            List<String> missing = missing(now, error);
            if (missing.isEmpty() && start.isGoingOn()) {
                if (isFirst) {
                    // Mostly at once. Only the first one waits: anyone may ask, and the end may never come.
                    start.end().thenRun(() -> exchange.later(() -> answer(exchange, missing)));
                } else {
                    answer(exchange, TOO_FEW);
                }
            } else {
                answer(exchange, missing);
            }
        }));
    }

    private Start start() {
        Start known = started;
        if (known == null) {
            known = Start.of(cluster);
            started = known;
        }
        return known;
    }

    private List<String> missing(NodeStatus status, @Nullable Throwable error) {
        if (error != null) {
            LOG.debug("the status cannot be asked", DhtException.unwrap(error));
            return List.of("not serving");
        }
        List<String> missing =
                ReadinessConditions.unmet(status).stream().map(Unmet::text).toList();
        said = new Said(System.nanoTime(), missing);
        return missing;
    }

    private static void answer(HttpApiExchange exchange, List<String> missing) {
        answer(exchange, missing.isEmpty() ? OK : UNAVAILABLE, missing.isEmpty() ? "ready" : join(missing));
    }

    private static String join(List<String> missing) {
        return "not ready: " + String.join("; ", missing);
    }

    private CompletionStage<NodeStatus> status() {
        long now = System.nanoTime();
        Asked known = last;
        if (known == null || now - known.at > (known.hasEnded() ? FRESH_NANOS : OUTDATED_NANOS)) {
            known = new Asked(now, ask());
            last = known;
        }
        return known.status;
    }

    private CompletionStage<NodeStatus> ask() {
        try {
            return cluster.status();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static void answer(HttpApiExchange exchange, int status, String text) {
        if (!exchange.isOver()) {
            exchange.response()
                    .putHeader(HttpHeaders.CONTENT_TYPE, "text/plain; charset=utf-8")
                    .putHeader(HttpHeaders.CACHE_CONTROL, "no-store");
            if (status == UNAVAILABLE) {
                exchange.response().putHeader(HttpHeaders.RETRY_AFTER, "1");
            }
        }
        exchange.answer(status, Buffer.buffer(text + "\n"));
    }

    /** A question for the status. */
    private record Asked(long at, CompletionStage<NodeStatus> status) {

        boolean hasEnded() {
            return status.toCompletableFuture().isDone();
        }
    }

    /** What was in the way when the status was last reported. */
    private record Said(long at, List<String> missing) {}
}
