package io.dht4j.core.internal.snapshot;

import io.dht4j.testkit.SearchEffort;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Work that begins and ends while somebody waits for all that had begun: nobody waits for too little, nor for too much.
 */
@Tag("search")
@Tag("full")
class WritesInFlightInterleavingsTest {

    @Test
    void workIsCountedAsIfThreadsTookTurns() {
        new ModelCheckingOptions()
                .iterations(SearchEffort.of(10))
                .invocationsPerIteration(SearchEffort.of(300))
                .threads(3)
                .actorsBefore(2)
                .actorsPerThread(3)
                .actorsAfter(2)
                .check(OneWaits.class);
    }

    /**
     * Work of several threads, and one of them that waits. With two that wait, one could find what it waits for not yet
     * over since the other is in the middle of a flip: too late by that, never too early, and no single order of calls.
     */
    public static class OneWaits {

        private static final int MOST_THREADS = 8;

        private final WritesInFlight underWay = new WritesInFlight();
        /** What each thread has begun. */
        private final List<Deque<WritesInFlight.Generation>> inside = IntStream.range(0, MOST_THREADS)
                .<Deque<WritesInFlight.Generation>>mapToObj(thread -> new ArrayDeque<>())
                .toList();

        private final List<CompletableFuture<Void>> flips = new ArrayList<>();

        /** Begins something. */
        @Operation
        public void enter(@Param(gen = ThreadIdGen.class) int thread) {
            inside.get(thread).push(underWay.enter());
        }

        /** Ends what this thread has begun last, if it has begun anything. */
        @Operation
        public boolean leave(@Param(gen = ThreadIdGen.class) int thread) {
            WritesInFlight.Generation last = inside.get(thread).poll();
            if (last == null) {
                return false;
            }
            last.ended();
            return true;
        }

        /** Waits for all that has begun, and tells which waits are over, this one included. */
        @Operation(nonParallelGroup = "waits")
        public String flip() {
            flips.add(underWay.flip());
            return flips.stream().map(CompletableFuture::isDone).toList().toString();
        }
    }
}
