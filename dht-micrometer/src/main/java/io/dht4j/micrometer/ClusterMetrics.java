package io.dht4j.micrometer;

import static java.util.Objects.requireNonNull;

import io.dht4j.Cluster;
import io.dht4j.StoreStatistics.Work;
import io.dht4j.micrometer.StoreFigures.WorkFigure;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.FunctionTimer;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Gauges and counters of a node: its store, hints, limits, repair, moves, the other nodes and their clocks.
 * {@code docs/reference/metrics.md} lists them. {@link MicrometerObserver} has the timers.
 *
 * <p>The cluster is asked at most once a second, during a scrape, which waits for a quarter of a second at most and
 * then reports the last figures. A gauge is not a number while it is unknown: of a remote cluster, those that only a
 * node itself knows, and all of a node that has not answered for a minute. Scrapes must not run on event loops.
 *
 * <p>Safe for use by any number of threads.
 */
public final class ClusterMetrics implements MeterBinder, AutoCloseable {

    private final Cluster cluster;
    private final Tags tags;
    // Guarded by this.
    private final List<Binding> bindings = new ArrayList<>();
    private boolean closed;

    private record Binding(MeterRegistry registry, List<Meter> meters, PeerFigures peers) {}

    /**
     * Creates metrics without tags of their own.
     *
     * @param cluster the cluster as accessed through a node; not closed by this
     */
    public ClusterMetrics(Cluster cluster) {
        this(cluster, List.of());
    }

    /**
     * Creates metrics.
     *
     * @param cluster the cluster as accessed through a node; not closed by this
     * @param tags tags of all meters, which allow several clusters to share a registry
     */
    public ClusterMetrics(Cluster cluster, Iterable<Tag> tags) {
        this.cluster = requireNonNull(cluster, "cluster");
        this.tags = Tags.of(tags);
    }

    /**
     * Registers the meters. Does not block.
     *
     * @param registry receives the meters and supplies the clock; not closed by this
     * @throws IllegalStateException if this is closed
     */
    @Override
    public synchronized void bindTo(MeterRegistry registry) {
        if (closed) {
            throw new IllegalStateException("these metrics are closed");
        }
        Source source = new Source(cluster, registry, tags);
        List<Meter> meters = new ArrayList<>();
        Figure.all().forEach(figure -> meters.add(register(figure, source, registry)));
        StoreFigures.works().forEach(figure -> meters.add(register(figure, source, registry)));
        bindings.add(new Binding(registry, List.copyOf(meters), source.peers));
    }

    /** The samples for one registry. */
    private static final class Source {
        private final ClusterPoll poll;
        private final PeerFigures peers;

        Source(Cluster cluster, MeterRegistry registry, Tags tags) {
            this.poll = new ClusterPoll(cluster, registry.config().clock()::monotonicTime, this::follow);
            this.peers = new PeerFigures(registry, tags, poll::get);
        }

        private void follow(ClusterSample sample) {
            peers.follow(sample);
        }
    }

    private Meter register(Figure figure, Source source, MeterRegistry registry) {
        return figure.total()
                ? FunctionCounter.builder(figure.name(), source, new LastTotal(figure, source))
                        .description(figure.description())
                        .baseUnit(figure.unit())
                        .tags(tags)
                        .register(registry)
                : Gauge.builder(figure.name(), () -> figure.value().applyAsDouble(source.poll.get()))
                        .description(figure.description())
                        .baseUnit(figure.unit())
                        .tags(tags)
                        .strongReference(true)
                        .register(registry);
    }

    private Meter register(WorkFigure figure, Source source, MeterRegistry registry) {
        LastWork work = new LastWork(figure, source);
        return FunctionTimer.builder(
                        figure.name(),
                        source,
                        any -> work.get().count(),
                        any -> work.get().nanos(),
                        TimeUnit.NANOSECONDS)
                .description(figure.description())
                .tags(tags)
                .register(registry);
    }

    /** A sum of work, or the last one that is known. */
    private static final class LastWork {
        private final WorkFigure figure;
        private final Source source;
        private volatile Work last = Work.NONE;

        LastWork(WorkFigure figure, Source source) {
            this.figure = figure;
            this.source = source;
        }

        Work get() {
            figure.in(source.poll.get()).ifPresent(now -> last = now);
            return last;
        }
    }

    /**
     * A total, or the last known one, since counters must not become unknown. The registry refers weakly to the source,
     * which this keeps.
     */
    private static final class LastTotal implements ToDoubleFunction<Source> {
        private final Figure figure;
        private final Source source;
        private volatile double last;

        LastTotal(Figure figure, Source source) {
            this.figure = figure;
            this.source = source;
        }

        @Override
        public double applyAsDouble(Source any) {
            double now = figure.value().applyAsDouble(source.poll.get());
            if (!Double.isNaN(now)) {
                last = now;
            }
            return last;
        }
    }

    /** Removes all meters from the registries. May be called repeatedly. */
    @Override
    public synchronized void close() {
        closed = true;
        for (Binding binding : bindings) {
            binding.peers.close();
            binding.meters.forEach(binding.registry::remove);
        }
        bindings.clear();
    }
}
