package io.dht4j.core.internal.coordinator.node;

import io.dht4j.AtomicMap;
import io.dht4j.CallOptions;
import io.dht4j.DhtException;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.admission.CallerStage;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.coordinator.scan.ClusterScan;
import io.dht4j.core.internal.observation.Observations;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Observer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The scan that its caller gets: a failed scan stays failed, and only the caller ends it. While the node starts, the
 * first page of a scan of the cluster waits as a read does.
 */
final class ScanPages implements Scan {

    private final Admission admission;
    private final Observations observations;
    private final CallRules rules;
    private final Readiness readiness;
    private final KeyRange range;
    private final Function<KeyRange, ClusterScan> begin;
    private final ScanScope scope;
    private final CallOptions options;
    // The caller, who requests one page at a time, passes these from one page to the next.
    private volatile Optional<ClusterScan> running = Optional.empty();
    private volatile Optional<Throwable> failure = Optional.empty();
    private volatile boolean over;

    ScanPages(
            Admission admission,
            Observations observations,
            CallRules rules,
            Readiness readiness,
            ScanScope scope,
            CallOptions options,
            KeyRange range,
            Function<KeyRange, ClusterScan> begin) {
        this.admission = admission;
        this.observations = observations;
        this.rules = rules;
        this.readiness = readiness;
        this.scope = scope;
        this.options = options;
        this.range = range;
        this.begin = begin;
    }

    @Override
    public CompletionStage<List<KeyValue>> next() {
        if (over) {
            return CompletableFuture.completedFuture(List.of());
        }
        if (failure.isPresent()) {
            return CompletableFuture.failedFuture(failure.get());
        }
        ObservedCall observed = observations.begin(Observer.Call.SCAN_PAGE, 0, options);
        CompletableFuture<List<KeyValue>> page = admission.run(observed, () -> {
            CallContext context = rules.context(options);
            return (running.isPresent() ? following(observed, context) : first(observed, context))
                    .thenCompose(entries -> withoutRegisters(entries, observed, context));
        });
        return CallerStage.behind(
                page, (entries, error) -> failure = Optional.ofNullable(error).map(DhtException::unwrap));
    }

    private CompletableFuture<List<KeyValue>> following(@Nullable ObservedCall observed, CallContext context) {
        return running.orElseThrow().next(context, () -> rules.context(options), observed);
    }

    /**
     * Leaves out the keys of registers, and goes on behind all of them. If the range begins among them, it shows what
     * they hold.
     */
    private CompletableFuture<List<KeyValue>> withoutRegisters(
            List<KeyValue> page, @Nullable ObservedCall observed, CallContext context) {
        if (page.isEmpty() || page.stream().noneMatch(entry -> AtomicSpace.contains(entry.key()))) {
            return CompletableFuture.completedFuture(page);
        }
        boolean areShown = AtomicSpace.contains(range.start());
        List<KeyValue> shown = page.stream()
                .flatMap(entry -> !AtomicSpace.contains(entry.key())
                        ? Stream.of(entry)
                        : areShown ? RegisterView.of(entry).stream() : Stream.empty())
                .toList();
        if (!areShown && AtomicSpace.contains(page.get(page.size() - 1).key())) {
            running.orElseThrow().close();
            start(new KeyRange(AtomicMap.KEYS.end().orElseThrow(), range.end()));
        }
        return shown.isEmpty()
                ? following(observed, context).thenCompose(next -> withoutRegisters(next, observed, context))
                : CompletableFuture.completedFuture(shown);
    }

    private CompletableFuture<List<KeyValue>> first(@Nullable ObservedCall observed, CallContext context) {
        boolean isStarting = scope == ScanScope.CLUSTER && readiness.isStarting();
        CompletableFuture<List<KeyValue>> page = begin(observed, context);
        if (!isStarting) {
            return page;
        }
        return page.exceptionallyCompose(error -> readiness
                .after(error, context.remainingNanos())
                .thenCompose(isWorthIt -> isWorthIt && !context.isExpired()
                        ? begin(observed, context)
                        : CompletableFuture.failedFuture(DhtException.unwrap(error))));
    }

    private CompletableFuture<List<KeyValue>> begin(@Nullable ObservedCall observed, CallContext context) {
        start(range);
        return following(observed, context);
    }

    private void start(KeyRange from) {
        ClusterScan scan = begin.apply(from);
        running = Optional.of(scan);
        if (over) {
            scan.close();
        }
    }

    @Override
    public long heldBytes() {
        return running.map(ClusterScan::heldBytes).orElse(0L);
    }

    @Override
    public void close() {
        over = true;
        running.ifPresent(ClusterScan::close);
    }
}
