package io.dht4j.micrometer;

import static java.util.Objects.requireNonNull;

import io.dht4j.NodeId;
import io.dht4j.spi.Observer;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Times calls and requests with Micrometer: {@code dht.calls} by {@code kind} and {@code outcome}, with a histogram for
 * percentiles, and {@code dht.peer.calls} by {@code peer}, {@code kind} and {@code outcome}, without one. A node that
 * leaves the cluster loses its timers. {@link ClusterMetrics} has the other metrics.
 *
 * <p>Safe for use by any number of threads. Does not block, except for the moment in which timers are created or
 * removed.
 */
public final class MicrometerObserver implements Observer, AutoCloseable {

    private static final Duration SHORTEST = Duration.ofNanos(50_000);
    private static final Duration LONGEST = Duration.ofSeconds(30);

    private final MeterRegistry registry;
    private final Tags tags;
    /** The timers of each kind of call by its outcomes. The outer map does not change. */
    private final Map<Call, Map<Outcome, Timer>> calls = new EnumMap<>(Call.class);
    /** The timers of each node. */
    private final Map<NodeId, Map<PeerCall, Timer>> peers = new ConcurrentHashMap<>();

    // Guarded by this.
    private Optional<Set<NodeId>> retained = Optional.empty();
    private boolean closed;

    private record PeerCall(Request request, Outcome outcome) {}

    /**
     * Creates an observer without tags of its own.
     *
     * @param registry receives the timers; not closed by this
     */
    public MicrometerObserver(MeterRegistry registry) {
        this(registry, List.of());
    }

    /**
     * Creates an observer. Timers of successful calls are registered at once, so that their rates begin at zero.
     *
     * @param registry receives the timers; not closed by this
     * @param tags tags of all timers, which allow several clusters to share a registry
     */
    public MicrometerObserver(MeterRegistry registry, Iterable<Tag> tags) {
        this.registry = requireNonNull(registry, "registry");
        this.tags = Tags.of(tags);
        for (Call call : Call.values()) {
            Map<Outcome, Timer> timers = new ConcurrentHashMap<>();
            timers.put(Outcome.success(), timer(call, Outcome.success()));
            calls.put(call, timers);
        }
    }

    @Override
    public void callEnded(Call call, Outcome outcome, long nanos) {
        Map<Outcome, Timer> timers = calls.getOrDefault(call, Map.of());
        Timer timer = timers.get(outcome);
        if (timer != null) {
            timer.record(nanos, TimeUnit.NANOSECONDS);
        } else {
            create(timers, outcome, () -> timer(call, outcome))
                    .ifPresent(made -> made.record(nanos, TimeUnit.NANOSECONDS));
        }
    }

    @Override
    public void requestEnded(NodeId node, Request request, Outcome outcome, long nanos) {
        PeerCall call = new PeerCall(request, outcome);
        Timer timer = peers.getOrDefault(node, Map.of()).get(call);
        if (timer != null) {
            timer.record(nanos, TimeUnit.NANOSECONDS);
        } else {
            create(node, call).ifPresent(made -> made.record(nanos, TimeUnit.NANOSECONDS));
        }
    }

    /** Returns a new timer, or none after the close. */
    private synchronized <K> Optional<Timer> create(Map<K, Timer> timers, K key, Supplier<Timer> timer) {
        return closed ? Optional.empty() : Optional.of(timers.computeIfAbsent(key, missing -> timer.get()));
    }

    /** Returns a new timer, or none for a node that has left, since it would never be removed. */
    private synchronized Optional<Timer> create(NodeId node, PeerCall call) {
        if (closed || retained.filter(nodes -> !nodes.contains(node)).isPresent()) {
            return Optional.empty();
        }
        return create(peers.computeIfAbsent(node, missing -> new ConcurrentHashMap<>()), call, () -> timer(node, call));
    }

    private Timer timer(Call call, Outcome outcome) {
        return Timer.builder("dht.calls")
                .description("Calls of the application")
                .tags(tags.and("kind", name(call), "outcome", outcome.name()))
                .publishPercentileHistogram()
                .minimumExpectedValue(SHORTEST)
                .maximumExpectedValue(LONGEST)
                .register(registry);
    }

    private Timer timer(NodeId node, PeerCall call) {
        return Timer.builder("dht.peer.calls")
                .description("Requests to other nodes")
                .tags(tags.and(
                        "peer",
                        node.value(),
                        "kind",
                        name(call.request()),
                        "outcome",
                        call.outcome().name()))
                .register(registry);
    }

    private static String name(Enum<?> kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }

    @Override
    public synchronized void retain(Set<NodeId> nodes) {
        retained = Optional.of(Set.copyOf(nodes));
        peers.forEach((node, timers) -> {
            if (!nodes.contains(node)) {
                peers.remove(node);
                remove(timers);
            }
        });
    }

    /** Removes all timers from the registry. Later reports are ignored. May be called repeatedly. */
    @Override
    public synchronized void close() {
        closed = true;
        calls.values().forEach(this::remove);
        peers.values().forEach(this::remove);
        peers.clear();
    }

    private void remove(Map<?, Timer> timers) {
        timers.values().forEach(registry::remove);
        timers.clear();
    }
}
