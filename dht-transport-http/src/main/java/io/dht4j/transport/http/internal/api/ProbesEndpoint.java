package io.dht4j.transport.http.internal.api;

import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.NodeDiagnostics;
import io.dht4j.NodeStatus;
import io.dht4j.transport.common.ReadinessConditions;
import io.dht4j.transport.common.ReadinessConditions.Start;
import io.dht4j.transport.common.ReadinessConditions.Unmet;
import io.dht4j.transport.http.internal.common.ApiProtocol;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers probes of the process: whether it lives, and whether it is ready for requests. The answers are short texts
 * without details, since they need no token. Safe for use by any number of event loops.
 */
public final class ProbesEndpoint {

    private static final Logger LOG = LoggerFactory.getLogger(ProbesEndpoint.class);

    /** The maximum age of an answer. It limits how often frequent probes make the node count its entries. */
    private static final long FRESH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** A busy node whose store does not report its size at once is judged by its last report. */
    private static final Duration PATIENCE = Duration.ofMillis(200);

    /**
     * Older reports are ignored. A store that was asked for its size longer ago, and has not answered since, is not
     * ready; one that was not asked for this time is.
     */
    private static final long OUTDATED_NANOS = ReadinessConditions.OUTDATED.toNanos();

    private static final String QUORUM = "quorum";

    private static final Judgement TOO_FEW = Judgement.of(Unmet.TOO_FEW_NODES.text());

    private static final int OK = 200;
    private static final int UNAVAILABLE = 503;

    private final Cluster cluster;
    private final RequestAdmission admission;
    private volatile @Nullable Asked last;
    private volatile @Nullable Said said;
    private volatile @Nullable Start started;
    private volatile Supplier<String> starting = () -> "";

    /** Creates the probes of a node that has started. */
    public ProbesEndpoint(Cluster cluster, RequestAdmission admission) {
        this.cluster = cluster;
        this.admission = admission;
    }

    /** Makes readiness wait for the start of the node, until the text of what it waits for is empty. */
    public void starting(Supplier<String> waitsFor) {
        starting = waitsFor;
    }

    /** Answers that the process accepts requests. */
    void live(ApiExchange exchange) {
        answer(exchange, OK, "alive");
    }

    /**
     * Answers whether this node serves reads and writes, and why not. A quorum of each partition is a condition only on
     * request.
     */
    void ready(ApiExchange exchange) {
        boolean asksForQuorum = asksForQuorum(exchange);
        if (admission.isStopping() || admission.isStopped()) {
            answer(exchange, UNAVAILABLE, "draining");
            return;
        }
        String waitsFor = starting.get();
        if (!waitsFor.isEmpty()) {
            answer(exchange, Judgement.of(waitsFor), asksForQuorum);
            return;
        }
        boolean isFirst = started == null;
        Start start = start();
        CompletionStage<Judgement> judgement = judgement();
        AtomicBoolean isLate = new AtomicBoolean();
        exchange.startTimer(PATIENCE, () -> {
            isLate.set(true);
            Said known = said;
            if (known != null && System.nanoTime() - known.at < OUTDATED_NANOS) {
                boolean isStarting = known.judgement.isReady() && start.isGoingOn();
                answer(exchange, isStarting ? TOO_FEW : known.judgement, asksForQuorum);
            }
        });
        judgement.whenComplete((judged, error) -> exchange.later(() -> {
            if (exchange.isOver()) {
                return;
            }
            Judgement now = error == null ? judged : notServing(error);
            if (now.isReady() && start.isGoingOn()) {
                if (isFirst && !isLate.get()) {
                    // Mostly at once; else the timer answers. Only the first one waits: anyone may ask, and the end may
                    // never come.
                    start.end().thenRun(() -> exchange.later(() -> answer(exchange, now, asksForQuorum)));
                } else {
                    answer(exchange, TOO_FEW, asksForQuorum);
                }
            } else {
                answer(exchange, now, asksForQuorum);
            }
        }));
    }

    private static boolean asksForQuorum(ApiExchange exchange) {
        Optional<String> value =
                Query.parse(exchange.request().query(), List.of(QUORUM)).text(QUORUM);
        if (value.isPresent() && !value.get().isEmpty()) {
            throw new InvalidRequestException(
                    ErrorCode.BAD_REQUEST, "quorum takes no value: ask " + ApiProtocol.READYZ + "?" + QUORUM);
        }
        return value.isPresent();
    }

    private Start start() {
        Start known = started;
        if (known == null) {
            known = Start.of(cluster);
            started = known;
        }
        return known;
    }

    private static Judgement notServing(Throwable error) {
        LOG.debug("the status cannot be asked", DhtException.unwrap(error));
        return Judgement.of("not serving");
    }

    private Judgement judge(NodeStatus status) {
        Judgement judgement = new Judgement(
                ReadinessConditions.unmet(status).stream().map(Unmet::text).toList(),
                ReadinessConditions.withoutQuorum(
                                status, cluster.operations().diagnostics().map(NodeDiagnostics::gauges))
                        .map(Unmet::text));
        said = new Said(System.nanoTime(), judgement);
        return judgement;
    }

    private static void answer(ApiExchange exchange, Judgement judgement, boolean asksForQuorum) {
        List<String> missing = new ArrayList<>(judgement.missing);
        if (asksForQuorum) {
            judgement.quorum.ifPresent(missing::add);
        }
        if (missing.isEmpty()) {
            answer(
                    exchange,
                    OK,
                    "ready" + judgement.quorum.map(lost -> "; " + lost).orElse(""));
        } else {
            answer(exchange, UNAVAILABLE, "not ready: " + String.join("; ", missing));
        }
    }

    private CompletionStage<Judgement> judgement() {
        long now = System.nanoTime();
        Asked known = last;
        if (known == null || now - known.at > (known.hasEnded() ? FRESH_NANOS : OUTDATED_NANOS)) {
            known = new Asked(now, ask().thenApply(this::judge));
            last = known;
        }
        return known.judgement;
    }

    private CompletionStage<NodeStatus> ask() {
        try {
            return cluster.operations().status();
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static void answer(ApiExchange exchange, int status, String text) {
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

    /**
     * The result of a status.
     *
     * @param missing the unmet conditions
     * @param quorum the condition that partitions lack a quorum, which applies only on request; empty if all have one
     */
    private record Judgement(List<String> missing, Optional<String> quorum) {

        static Judgement of(String missing) {
            return new Judgement(List.of(missing), Optional.empty());
        }

        boolean isReady() {
            return missing.isEmpty();
        }
    }

    /** A request for the status. */
    private record Asked(long at, CompletionStage<Judgement> judgement) {

        boolean hasEnded() {
            return judgement.toCompletableFuture().isDone();
        }
    }

    /** The result of the last status. */
    private record Said(long at, Judgement judgement) {}
}
