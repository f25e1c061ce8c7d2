package io.dht4j.benchmarks.product;

import io.dht4j.benchmarks.load.closed.Preload;
import io.dht4j.benchmarks.load.closed.ThroughputLoop;
import io.dht4j.benchmarks.process.Child;
import io.dht4j.benchmarks.process.ChildDiedException;
import io.dht4j.benchmarks.process.ChildException;
import io.dht4j.benchmarks.process.ChildSpec;
import io.dht4j.benchmarks.process.JvmFlags;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.testkit.network.FreePorts;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An embedded member of a cluster in a process of its own. Methods that send it a command block; they throw a
 * {@link ChildDiedException} with its last log lines if it has ended. Safe for use by any number of threads.
 */
public final class MemberProcess implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final Child child;
    private final Map<String, String> settings;

    private MemberProcess(Child child, Map<String, String> settings) {
        this.child = child;
        this.settings = settings;
    }

    /**
     * Starts the members of a cluster, one after the other, and waits until they see each other. Blocks.
     *
     * @param product of the member
     * @param count number of nodes
     * @param spec describes each
     * @param heapMegabytes of each
     * @return the members, which the caller closes
     * @throws IOException if one fails to start, or they fail to find each other within a minute and a half
     * @throws InterruptedException if the thread is interrupted; no process remains then
     */
    public static List<MemberProcess> startAll(Product product, int count, Specs spec, int heapMegabytes)
            throws IOException, InterruptedException {
        List<Integer> ports = FreePorts.find(count);
        List<MemberProcess> members = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                members.add(start(product, spec.of(i, ports), heapMegabytes));
            }
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            for (MemberProcess member : members) {
                member.awaitSize(count, deadline);
            }
            return members;
        } catch (IOException | InterruptedException | RuntimeException e) {
            members.forEach(MemberProcess::close);
            throw e;
        }
    }

    /** Makes the description of a member. */
    @FunctionalInterface
    public interface Specs {

        /**
         * Makes it.
         *
         * @param index of the member
         * @param ports of all
         */
        MemberSpec of(int index, List<Integer> ports);
    }

    private static MemberProcess start(Product product, MemberSpec spec, int heapMegabytes)
            throws IOException, InterruptedException {
        String name = product.name().toLowerCase(Locale.ROOT) + "-" + (spec.index() + 1);
        Child child = Child.start(new ChildSpec(
                name, MemberMain.class, JvmFlags.withHeap(heapMegabytes, product.jvmFlags()), Optional.empty()));
        try {
            MemberMain.Started started = child.call(MemberMain.START, spec, MemberMain.Started.class, PATIENCE);
            return new MemberProcess(child, new TreeMap<>(started.settings()));
        } catch (IOException | InterruptedException | RuntimeException e) {
            child.close();
            throw e;
        }
    }

    private void awaitSize(int count, long deadline) throws IOException, InterruptedException {
        int size = 0;
        while (System.nanoTime() - deadline < 0) {
            size = child.call(MemberMain.SIZE, Map.of(), Integer.class, PATIENCE);
            if (size == count) {
                return;
            }
            Thread.sleep(100);
        }
        throw new IOException(child.name() + " sees " + size + " members instead of " + count);
    }

    /**
     * Returns its configuration.
     *
     * @return values by the names that its documentation uses
     */
    public Map<String, String> settings() {
        return settings;
    }

    /**
     * Writes every key once.
     *
     * @param keys number of keys
     * @param maxInFlight puts in flight
     * @throws ChildException if a put failed
     * @throws InterruptedException if the thread is interrupted
     */
    public void fill(long keys, int maxInFlight) throws ChildException, InterruptedException {
        child.call(MemberMain.FILL, new MemberMain.Fill(keys, maxInFlight), Preload.Filled.class, Duration.ofHours(1));
    }

    /**
     * Runs a closed loop of calls to this member.
     *
     * @param operation the operation
     * @param inFlight operations in flight
     * @param seconds duration
     * @param keys number of different keys
     * @return the result
     * @throws ChildException if more than one operation in a hundred failed
     * @throws InterruptedException if the thread is interrupted
     */
    public ThroughputLoop.Result loop(Operation operation, int inFlight, double seconds, int keys)
            throws ChildException, InterruptedException {
        return child.call(
                MemberMain.LOOP,
                new MemberMain.Loop(operation, inFlight, seconds, keys),
                ThroughputLoop.Result.class,
                PATIENCE.plusMillis((long) (seconds * 1000)));
    }

    /**
     * Reads the counters of its process.
     *
     * @return without those of the machine
     * @throws ChildException if it gives no answer
     * @throws InterruptedException if the thread is interrupted
     */
    public Counters counters() throws ChildException, InterruptedException {
        return child.call(MemberMain.COUNTERS, Map.of(), Counters.class, PATIENCE);
    }

    /** Ends it in order, or by force after some seconds. Returns when it has ended. Idempotent. */
    @Override
    public void close() {
        child.close();
    }
}
