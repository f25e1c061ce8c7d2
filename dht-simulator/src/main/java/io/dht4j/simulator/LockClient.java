package io.dht4j.simulator;

import io.dht4j.DhtException;
import io.dht4j.DhtLock;
import io.dht4j.ErrorCode;
import io.dht4j.HeldLock;
import io.dht4j.Key;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.simulator.internal.node.SimulatedNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Clients that take locks through any node, hold them for a while, and release them, or fail with their process.
 * Confined to the simulation's thread.
 */
final class LockClient {

    static final int LOCKS = 2;

    private static final int CALLS_PER_LOCK = 3;
    private static final int LONGEST_WAIT_MILLIS = 4_000;
    private static final int LONGEST_LEASE_MILLIS = 3_000;
    private static final int LONGEST_HOLDING_MILLIS = 5_000;

    private final SplittableRandom random;
    private final List<SimulatedNode> nodes;
    /** The locks of each process, which remember what they have seen. */
    private final Map<SimulatedNode.Running, List<DhtLock>> locks = new HashMap<>();

    private final List<Holding> holdings = new ArrayList<>();
    private final List<Attempt> attempts = new ArrayList<>();
    private final List<String> violations = new ArrayList<>();
    private final Map<String, Integer> outcomes = new TreeMap<>();
    private Predicate<SimulatedNode> setAside = node -> false;

    /** A lock that a process was given. */
    private record Holding(int lock, SimulatedNode node, SimulatedNode.Running process, HeldLock held) {

        /** Returns whether the process runs, and may rely on the lock by its clock. */
        boolean isOn() {
            return node.running().filter(process::equals).isPresent()
                    && !held.remaining().isZero();
        }

        @Override
        public String toString() {
            return node.node.id() + " holds lock " + lock + " with token " + held.token();
        }
    }

    /** A lock that a process has asked for. */
    private record Attempt(
            SimulatedNode node, SimulatedNode.Running process, CompletableFuture<Optional<HeldLock>> result) {}

    LockClient(SplittableRandom random, List<SimulatedNode> nodes) {
        this.random = random;
        this.nodes = nodes;
    }

    static List<Key> keys() {
        return IntStream.range(0, LOCKS)
                .mapToObj(lock -> AtomicSpace.key("locks", key(lock)))
                .toList();
    }

    private static Key key(int lock) {
        return Key.of("l" + lock);
    }

    /** Sets the predicate of nodes whose present locks a recovery may discard. */
    void setAside(Predicate<SimulatedNode> test) {
        setAside = test;
    }

    /** Sometimes begins to take a lock through a node. */
    void operate(Predicate<SimulatedNode> mayCall) {
        SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
        if (random.nextInt(CALLS_PER_LOCK) > 0 || !mayCall.test(node)) {
            return;
        }
        int lock = random.nextInt(LOCKS);
        Duration wait = random.nextBoolean() ? Duration.ZERO : Duration.ofMillis(random.nextInt(LONGEST_WAIT_MILLIS));
        Duration lease =
                DhtLock.MIN_LEASE.plusMillis(random.nextInt(LONGEST_LEASE_MILLIS - (int) DhtLock.MIN_LEASE.toMillis()));
        Duration holding = Duration.ofMillis(random.nextInt(LONGEST_HOLDING_MILLIS));
        node.running()
                .ifPresent(process -> process.environment()
                        .executor()
                        .execute(() -> take(node, process, lock, wait, lease, holding)));
    }

    private void take(
            SimulatedNode node,
            SimulatedNode.Running process,
            int lock,
            Duration wait,
            Duration lease,
            Duration holding) {
        boolean isSetAside = setAside.test(node);
        CompletableFuture<Optional<HeldLock>> result = locks.computeIfAbsent(
                        process,
                        present -> IntStream.range(0, LOCKS)
                                .mapToObj(i -> present.cluster().lock("locks", key(i)))
                                .toList())
                .get(lock)
                .tryLock(wait, lease)
                .toCompletableFuture();
        attempts.add(new Attempt(node, process, result));
        result.whenComplete((held, error) -> {
            if (error != null) {
                failed(DhtException.unwrap(error));
            } else if (held.isEmpty()) {
                count("refused");
            } else if (isSetAside || setAside.test(node)) {
                held.get().release();
            } else {
                count("held");
                hold(new Holding(lock, node, process, held.get()), holding);
            }
        });
    }

    private void failed(Throwable error) {
        count("failed");
        boolean isExpected = error instanceof DhtException known
                ? known.code().action() != ErrorCode.Action.FIX_REQUEST
                        || known.code() == ErrorCode.VERSION_TOO_FAR_AHEAD
                : error instanceof CancellationException;
        if (!isExpected) {
            violations.add("a lock ended with " + error);
        }
    }

    private void count(String outcome) {
        outcomes.merge("lock " + outcome, 1, Integer::sum);
    }

    private void hold(Holding now, Duration holding) {
        for (Holding before : holdings) {
            if (before.lock() == now.lock() && !setAside.test(before.node())) {
                if (before.isOn()) {
                    violations.add(now + " while " + before);
                }
                if (before.held().token() >= now.held().token()) {
                    violations.add(now + " after " + before);
                }
            }
        }
        holdings.add(now);
        now.process().environment().schedule(() -> release(now), holding.toNanos());
    }

    private void release(Holding holding) {
        holding.held().release().whenComplete((wasHeld, error) -> {
            if (error == null) {
                count(wasHeld ? "released" : "lost");
            }
        });
        if (holding.isOn()) {
            violations.add(holding + " after its release");
        }
    }

    /** Requires that all has ended, when nothing has been called for a while. */
    void requireEnds() {
        attempts.stream()
                .filter(attempt -> attempt.node()
                        .running()
                        .filter(attempt.process()::equals)
                        .isPresent())
                .filter(attempt -> !attempt.result().isDone())
                .forEach(attempt -> violations.add(attempt.node().node.id() + " still waits for a lock"));
        holdings.stream()
                .filter(holding -> holding.node()
                        .running()
                        .filter(holding.process()::equals)
                        .isPresent())
                .filter(holding -> !holding.held().ended().toCompletableFuture().isDone())
                .forEach(holding -> violations.add(holding + " although it was released"));
    }

    List<String> violations() {
        return List.copyOf(violations);
    }

    Map<String, Integer> outcomes() {
        return outcomes;
    }
}
