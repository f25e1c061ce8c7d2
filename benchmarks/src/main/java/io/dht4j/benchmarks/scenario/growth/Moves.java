package io.dht4j.benchmarks.scenario.growth;

import io.dht4j.benchmarks.process.node.MembershipReading;
import io.dht4j.benchmarks.process.node.NodeProcess;
import io.dht4j.benchmarks.process.node.Nodes;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** Follows the moves to a node that has joined, by asking it again and again. Confined to one thread. */
final class Moves {

    private static final long LOOK_MILLIS = 500;
    /** Counting entries is work for the nodes. */
    private static final long COUNT_MILLIS = 2000;

    private static final Duration MOST = Duration.ofMinutes(30);
    private static final Duration MOST_DROPPING = Duration.ofMinutes(2);

    private final NodeProcess joined;
    private final LoadWindows windows;
    /** The bytes that the node has received in each batch, which it forgets with the batch. */
    private final Map<Long, Long> bytes = new TreeMap<>();

    private double seconds;

    Moves(NodeProcess joined, LoadWindows windows) {
        this.joined = joined;
        this.windows = windows;
    }

    /** Allows the moves. */
    @FunctionalInterface
    interface Begin {
        void run() throws IOException, InterruptedException;
    }

    /**
     * Begins the moves, and waits until the node has its share and no partition moves.
     *
     * @throws IOException if a process has ended, or the moves last for more than half an hour
     */
    void run(Begin begin) throws IOException, InterruptedException {
        long began = System.nanoTime();
        begin.run();
        MembershipReading reading = joined.membership();
        while (!reading.atRest()) {
            reading.moves().forEach(move -> bytes.merge(move.batch(), move.copiedBytes(), Math::max));
            windows.requireRunning();
            if (System.nanoTime() - began > MOST.toNanos()) {
                throw new IOException("the moves have not ended within " + MOST.toMinutes() + " minutes"
                        + (reading.waitsFor().isEmpty() ? "" : ": " + reading.waitsFor()));
            }
            TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
            reading = joined.membership();
        }
        seconds = (System.nanoTime() - began) / 1e9;
    }

    /**
     * Waits until the former owners have dropped the moved entries, for at most two minutes.
     *
     * @param entries that all nodes hold together then
     * @param tolerance how many more they may hold, since a count is an estimate under load
     * @return the entries of each node
     */
    List<Long> awaitDrops(Nodes nodes, long entries, long tolerance) throws IOException, InterruptedException {
        long end = System.nanoTime() + MOST_DROPPING.toNanos();
        while (true) {
            List<Long> held = new ArrayList<>();
            for (NodeProcess node : nodes.all()) {
                held.add(node.entries());
            }
            long sum = held.stream().mapToLong(Long::longValue).sum();
            if (sum - entries <= tolerance || System.nanoTime() - end >= 0) {
                return held;
            }
            windows.requireRunning();
            TimeUnit.MILLISECONDS.sleep(COUNT_MILLIS);
        }
    }

    /** Returns the bytes of keys and values that the node has received. */
    long bytes() {
        return bytes.values().stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the duration of the moves. */
    double seconds() {
        return seconds;
    }
}
