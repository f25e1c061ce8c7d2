package io.dht4j.micrometer;

import io.dht4j.NodeGauges;
import io.dht4j.NodeGauges.Bounded;
import io.dht4j.StoreStatistics;
import io.dht4j.StoreStatistics.EntryCache;
import io.dht4j.StoreStatistics.PageCache;
import io.dht4j.StoreStatistics.Work;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The figures of a store's work and size. */
final class StoreFigures {

    private static final String BYTES = "bytes";

    private StoreFigures() {}

    /**
     * Work of a store, which is counted and timed.
     *
     * @param name the name of its meter
     * @param description one line for people
     * @param work the sum of it
     */
    record WorkFigure(String name, String description, Function<StoreStatistics, Work> work) {

        /** Returns the sum; empty if the sample lacks it. */
        Optional<Work> in(ClusterSample sample) {
            return sample.gauges().flatMap(NodeGauges::storeStatistics).map(work);
        }
    }

    /** Returns the figures that are counted and timed. */
    static List<WorkFigure> works() {
        return List.of(
                new WorkFigure("dht.store.commits", "Groups of writes appended to the log", StoreStatistics::commits),
                new WorkFigure("dht.store.fsyncs", "Files forced to the disk", StoreStatistics::fsyncs),
                new WorkFigure("dht.store.merges", "Tables merged into the map", StoreStatistics::merges),
                new WorkFigure("dht.store.compactions", "Compactions of the map's file", StoreStatistics::compactions),
                new WorkFigure("dht.store.write.stalls", "Waits of writes for a merge", StoreStatistics::writeStalls));
    }

    /** Returns the other figures. */
    static List<Figure> all() {
        return List.of(
                total(
                        "commits.written",
                        BYTES,
                        "Written to the log",
                        s -> s.commits().bytes()),
                total(
                        "merges.written",
                        BYTES,
                        "Written by merges",
                        s -> s.merges().bytes()),
                total(
                        "compactions.written",
                        BYTES,
                        "Written by compactions",
                        s -> s.compactions().bytes()),
                gauge(
                        "tables.used",
                        BYTES,
                        "Entries that wait for a merge",
                        s -> s.tables().used()),
                gauge(
                        "tables.limit",
                        BYTES,
                        "Most entries that may wait",
                        s -> s.tables().limit()),
                gauge("map", BYTES, "Size of the map's file", StoreStatistics::mapBytes),
                gauge("log", BYTES, "Size of the log", StoreStatistics::logBytes),
                total("entry.cache.hits", null, "Reads that the cache of entries answered", entries(EntryCache::hits)),
                total("entry.cache.misses", null, "Reads that it did not answer", entries(EntryCache::misses)),
                gauge("entry.cache.used", BYTES, "Size of the cache of entries", entries(of(EntryCache::memory, true))),
                gauge("entry.cache.limit", BYTES, "Most of it", entries(of(EntryCache::memory, false))),
                total("page.reads", null, "Reads of the map's file", pages(PageCache::reads)),
                total("page.read", BYTES, "Read of the map's file", pages(PageCache::readBytes)),
                gauge("page.cache.hit.ratio", null, "Share of pages found in the cache", pages(PageCache::hitRatio)),
                gauge("page.cache.used", BYTES, "Size of the cache of pages", pages(of(PageCache::memory, true))),
                gauge("page.cache.limit", BYTES, "Most of it", pages(of(PageCache::memory, false))));
    }

    private static Figure gauge(
            String name, @Nullable String unit, String description, ToDoubleFunction<StoreStatistics> value) {
        return figure(name, unit, false, description, value);
    }

    private static Figure total(
            String name, @Nullable String unit, String description, ToDoubleFunction<StoreStatistics> value) {
        return figure(name, unit, true, description, value);
    }

    private static Figure figure(
            String name,
            @Nullable String unit,
            boolean total,
            String description,
            ToDoubleFunction<StoreStatistics> value) {
        return new Figure(
                "dht.store." + name,
                unit,
                total,
                description,
                sample -> Figure.number(sample.gauges().flatMap(NodeGauges::storeStatistics), value));
    }

    private static ToDoubleFunction<StoreStatistics> entries(ToDoubleFunction<EntryCache> value) {
        return statistics -> Figure.number(statistics.entryCache(), value);
    }

    private static ToDoubleFunction<StoreStatistics> pages(ToDoubleFunction<PageCache> value) {
        return statistics -> Figure.number(statistics.pageCache(), value);
    }

    private static <T> ToDoubleFunction<T> of(Function<T, Bounded> amount, boolean isUsed) {
        return from -> {
            Bounded bounded = amount.apply(from);
            return isUsed ? bounded.used() : bounded.limit();
        };
    }
}
