package io.dht4j.simulator;

import io.dht4j.AtomicChange;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.IndeterminateException;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.core.internal.coordinator.node.NodeCluster;
import io.dht4j.core.internal.wire.RegisterReply;
import io.dht4j.simulator.history.CounterCheck;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.spi.CallContext;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Clients that add to atomic counters through any node, and read them. Each addition to a counter adds another power of
 * two; when those of a counter are used up, another one takes its place. Confined to the simulation's thread.
 */
final class CounterClient {

    static final int COUNTERS = 24;

    /** The most counters that are in use at a time. */
    private static final int MOST_TOGETHER = 3;

    private static final int CALLS_PER_CRASH = 8;
    private static final long LONGEST_MOMENT = TimeUnit.MILLISECONDS.toNanos(300);

    /** The most additions to a counter: its sum stays positive. */
    private static final int MOST_ADDITIONS = Long.SIZE - 2;

    /** Long enough for several attempts. */
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private final SplittableRandom random;
    private final VirtualEnvironment world;
    private final List<SimulatedNode> nodes;
    private final Faults faults;
    /** How many counters are in use at a time. */
    private final int together;

    private final List<Begun> calls = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private Predicate<SimulatedNode> setAside = node -> false;
    private final int[] additions = new int[COUNTERS];
    private int moments;

    /** A call that has begun, and its end so far. */
    private static final class Begun {
        CounterCheck.Call call;
        String failure = "";
        /** Whether an earlier attempt may have been executed. */
        boolean mayBeDone;

        /** Whether a recovery may discard what the earlier attempt has shown. */
        boolean isSetAside;

        Begun(CounterCheck.Call call) {
            this.call = call;
        }
    }

    CounterClient(SplittableRandom random, VirtualEnvironment world, List<SimulatedNode> nodes, Faults faults) {
        this.random = random;
        this.world = world;
        this.nodes = nodes;
        this.faults = faults;
        this.together = 1 + random.nextInt(MOST_TOGETHER);
    }

    static List<Key> keys() {
        return IntStream.range(0, COUNTERS)
                .mapToObj(counter -> AtomicSpace.key("counters", Key.of("c" + counter)))
                .toList();
    }

    /** Sets the predicate of nodes whose present results a recovery may discard. */
    void setAside(Predicate<SimulatedNode> test) {
        setAside = test;
    }

    /** Begins concurrent calls through some nodes, and sometimes kills a node for a moment meanwhile. */
    void operate(Predicate<SimulatedNode> mayCall) {
        for (int i = random.nextInt(MOST_TOGETHER); i >= 0; i--) {
            SimulatedNode node = any();
            if (mayCall.test(node)) {
                operate(node);
            }
        }
        if (random.nextInt(CALLS_PER_CRASH) == 0) {
            SimulatedNode node = any();
            Duration time = Duration.ofNanos(random.nextLong(LONGEST_MOMENT));
            world.schedule(() -> faults.interrupt(node, time), random.nextLong(LONGEST_MOMENT));
        }
    }

    private SimulatedNode any() {
        return nodes.get(random.nextInt(nodes.size()));
    }

    private void operate(SimulatedNode node) {
        int counter = random.nextInt(together);
        while (additions[counter] == MOST_ADDITIONS && counter + together < COUNTERS) {
            counter += together;
        }
        call(node, counter, random.nextInt(4) > 0 && additions[counter] < MOST_ADDITIONS);
    }

    private Optional<Begun> call(SimulatedNode node, int counter, boolean adds) {
        Optional<SimulatedNode.Running> running = node.running();
        if (running.isEmpty()) {
            return Optional.empty();
        }
        Key key = keys().get(counter);
        long addend = adds ? 1L << additions[counter]++ : 0;
        Begun begun = new Begun(new CounterCheck.Call(
                key,
                addend,
                moments++,
                Integer.MAX_VALUE,
                Optional.empty(),
                adds,
                node.node.id().value()));
        calls.add(begun);
        execute(begun, node, running.get(), Optional.empty());
        return Optional.of(begun);
    }

    private void execute(Begun begun, SimulatedNode node, SimulatedNode.Running running, Optional<RequestId> id) {
        VirtualEnvironment environment = running.environment();
        boolean isSetAside = setAside.test(node);
        long addend = begun.call.addend();
        environment
                .executor()
                .execute(() -> ((NodeCluster) running.cluster())
                        .registers()
                        .execute(
                                begun.call.key(),
                                addend != 0 ? AtomicChange.add(addend) : AtomicChange.read(),
                                id,
                                new CallContext(environment::nanoTime, TIMEOUT.toNanos()),
                                null)
                        .whenComplete((outcome, error) -> {
                            boolean aside = isSetAside || setAside.test(node);
                            if (!isRepeated(begun, error, id, aside)) {
                                ended(begun, outcome, error, aside || (id.isPresent() && begun.isSetAside));
                            }
                        }));
    }

    /** Repeats an addition of unknown outcome through another node, once, by its id. */
    private boolean isRepeated(Begun begun, @Nullable Throwable error, Optional<RequestId> id, boolean aside) {
        if (error == null
                || id.isPresent()
                || !(DhtException.unwrap(error) instanceof IndeterminateException unknown)
                || unknown.requestId().isEmpty()) {
            return false;
        }
        begun.isSetAside = aside;
        begun.mayBeDone = true;
        SimulatedNode other = any();
        Optional<SimulatedNode.Running> running = other.running();
        running.ifPresent(present -> execute(begun, other, present, unknown.requestId()));
        return running.isPresent();
    }

    private void ended(Begun begun, RegisterReply.Outcome outcome, Throwable error, boolean isSetAside) {
        CounterCheck.Call call = begun.call;
        boolean mayBeDone = call.addend() != 0;
        Optional<Long> sum = Optional.empty();
        if (error != null) {
            begun.failure = String.valueOf(DhtException.unwrap(error).getMessage());
            if (DhtException.unwrap(error) instanceof DhtException known) {
                mayBeDone &= begun.mayBeDone || known.code().action() == ErrorCode.Action.REPEAT_ONLY_THIS;
            } else {
                violations.add(call + " and ended with " + error);
            }
        } else if (!outcome.executed().isDone()) {
            violations.add(call + " and ended with " + outcome);
        } else if (!isSetAside) {
            sum = Optional.of(outcome.executed().number());
        }
        begun.call =
                new CounterCheck.Call(call.key(), call.addend(), call.begun(), moments++, sum, mayBeDone, call.by());
    }

    /** Reads all counters through each node when all is healed. */
    void readAll() {
        for (SimulatedNode node : nodes) {
            List<Begun> reads = new ArrayList<>();
            for (int counter = 0; counter < COUNTERS; counter++) {
                if (additions[counter] > 0) {
                    call(node, counter, false)
                            .ifPresentOrElse(
                                    reads::add,
                                    () -> violations.add(node.node.id() + " does not run when all is healed"));
                }
            }
            world.advance(TIMEOUT);
            reads.stream()
                    .filter(read -> read.call.sum().isEmpty())
                    .forEach(read -> violations.add("when all was healed: " + read.call + ": " + read.failure));
        }
    }

    List<String> violations() {
        List<String> all = new ArrayList<>(violations);
        all.addAll(
                CounterCheck.violations(calls.stream().map(begun -> begun.call).toList()));
        return all;
    }

    /** Returns how many calls have ended in each way. */
    Map<String, Integer> outcomes() {
        Map<String, Integer> outcomes = new TreeMap<>();
        calls.forEach(begun -> outcomes.merge(
                "counter " + (begun.call.sum().isPresent() ? "done" : begun.call.mayBeDone() ? "unknown" : "failed"),
                1,
                Integer::sum));
        return outcomes;
    }
}
