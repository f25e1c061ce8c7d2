package io.dht4j.benchmarks.product;

import io.dht4j.benchmarks.load.closed.Preload;
import io.dht4j.benchmarks.load.closed.ThroughputLoop;
import io.dht4j.benchmarks.process.ChildService;
import io.dht4j.benchmarks.process.ChildService.NoArguments;
import io.dht4j.lab.internal.counters.ProcessCounters;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.internal.load.OperationStarter;
import io.dht4j.lab.workload.KeySpace;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * An embedded member of a product in a process of its own, started by a {@link MemberProcess}. It generates its load
 * itself.
 */
public final class MemberMain implements AutoCloseable {

    static final String START = "start";
    static final String SIZE = "size";
    static final String FILL = "fill";
    static final String LOOP = "loop";
    static final String COUNTERS = "counters";

    private final ProcessCounters counters = new ProcessCounters();

    private @Nullable Member member;

    private MemberMain() {}

    /** The entries to write before measuring. */
    record Fill(long keys, int maxInFlight) {}

    /** A closed loop. */
    record Loop(Operation operation, int inFlight, double seconds, int keys) {}

    /** The configuration of the member. */
    record Started(Map<String, String> settings) {}

    /**
     * Runs until the standard input ends.
     *
     * @param args none
     */
    public static void main(String[] args) {
        MemberMain main = new MemberMain();
        new ChildService()
                .on(START, MemberSpec.class, main::start)
                .on(SIZE, NoArguments.class, nothing -> main.member().clusterSize())
                .on(FILL, Fill.class, main::fill)
                .on(LOOP, Loop.class, main::loop)
                .on(COUNTERS, NoArguments.class, nothing -> main.counters.read())
                .run(main);
    }

    private synchronized Started start(MemberSpec spec) {
        if (member != null) {
            throw new IllegalStateException("the member has been started already");
        }
        Member started = Member.start(spec);
        member = started;
        return new Started(started.settings());
    }

    private synchronized Member member() {
        if (member == null) {
            throw new IllegalStateException("the member has not been started");
        }
        return member;
    }

    private Preload.Filled fill(Fill fill) throws IOException, InterruptedException {
        return Preload.fill(member(), 0, fill.keys(), fill.maxInFlight());
    }

    private ThroughputLoop.Result loop(Loop loop) throws InterruptedException {
        KeySpace space = new KeySpace(loop.keys());
        List<OperationStarter> slots = ThreadLocalRandom.current()
                .longs(loop.inFlight())
                .mapToObj(seed -> new OperationStarter(member(), loop.operation(), space, seed))
                .toList();
        return ThroughputLoop.run(
                loop.inFlight(), loop.seconds(), slot -> slots.get(slot).next());
    }

    @Override
    public synchronized void close() {
        counters.close();
        if (member != null) {
            member.close();
        }
    }
}
