package io.dht4j.simulator;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.Version;
import io.dht4j.simulator.history.History;
import io.dht4j.simulator.history.Operation;
import io.dht4j.simulator.history.ReadCheck;
import io.dht4j.simulator.history.SupersededCheck;
import io.dht4j.simulator.internal.node.SimulatedDisk;
import io.dht4j.simulator.internal.node.SimulatedNode;
import io.dht4j.spi.Entry;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The calls of clients: single calls and batches of all kinds through any running node, many at the same time. Each is
 * recorded in the history and checked when it ends. Confined to the simulation's thread.
 */
final class Workload {

    /** Values are smaller or larger than this limit, so that some are included in every answer and others are not. */
    static final int INLINE_BYTES = 8;

    private static final int SMALL = 4;
    private static final int LARGE = 40;
    private static final Set<ErrorCode> EXPECTED = Set.of(
            ErrorCode.NOT_ENOUGH_REPLICAS,
            ErrorCode.WRITE_INDETERMINATE,
            ErrorCode.NOT_SERVING,
            ErrorCode.OVERLOADED,
            ErrorCode.CLOCK_CONTRADICTED,
            ErrorCode.DEADLINE_PASSED,
            ErrorCode.VERSION_TOO_FAR_AHEAD);

    private final SplittableRandom random;
    private final VirtualEnvironment world;
    private final List<SimulatedDisk> disks;
    private final List<Key> keys;
    private final CallOptions quorum;
    private final boolean expiring;
    private final History history = new History();
    private final SupersededCheck hiding;
    private final ReadCheck check;
    private final List<String> violations = new ArrayList<>();
    private final List<Call> calls = new ArrayList<>();
    private final Map<Operation, SimulatedNode.Running> processes = new HashMap<>();
    /** Receives each acknowledged write. */
    private Consumer<Operation> acknowledged = write -> {};
    /** Returns whether a recovery may discard the present acknowledgements and results of a node. */
    private Predicate<SimulatedNode> setAside = node -> false;
    /** Whether no call may fail. */
    private boolean calm;

    private int written;
    /** How many disks have a write that was acknowledged, at least. */
    private final int needed;

    Workload(
            SplittableRandom random,
            VirtualEnvironment world,
            List<SimulatedDisk> disks,
            List<Key> keys,
            CallOptions quorum,
            int needed,
            boolean expiring) {
        this.needed = needed;
        this.expiring = expiring;
        this.random = random;
        this.world = world;
        this.disks = disks;
        this.keys = keys;
        this.quorum = quorum;
        this.hiding = SupersededCheck.onDisks(key -> disks.stream()
                .flatMap(SimulatedDisk::everKept)
                .filter(entry -> entry.key().equals(key)));
        this.check = new ReadCheck(history, hiding);
    }

    /** Lets a listener receive each acknowledged write. */
    void listen(Consumer<Operation> listener) {
        acknowledged = listener;
    }

    /**
     * Sets the predicate of nodes whose present acknowledgements and results a recovery may discard: then reads may
     * miss their writes, and other reads need not show the results of their reads.
     */
    void setAside(Predicate<SimulatedNode> test) {
        setAside = test;
    }

    /** Requires from now on that every call succeeds. */
    void requireSuccess() {
        calm = true;
    }

    History history() {
        return history;
    }

    List<String> violations() {
        return violations;
    }

    SupersededCheck hiding() {
        return hiding;
    }

    /** Returns whether a process has coordinated a write. */
    boolean wasWrittenBy(Operation write, SimulatedNode.Running process) {
        return process.equals(processes.get(write));
    }

    /** Starts a random call through a node. The call may end later, or never if the node crashes. */
    void operate(SimulatedNode node) {
        int what = random.nextInt(12);
        node.running()
                .ifPresent(process -> process.environment().executor().execute(() -> {
                    Call call = new Call(node, process);
                    switch (what) {
                        case 0, 1, 2 -> call.put(some(1));
                        case 3 -> call.put(some(3));
                        case 4 -> call.delete(one());
                        case 5 -> call.getAll(keys, quorum);
                        case 6 -> call.scan();
                        default -> call.get(one(), quorum);
                    }
                }));
    }

    /** Reads all keys through a node. */
    void readAll(SimulatedNode node, CallOptions options) {
        node.running()
                .ifPresent(process -> process.environment().executor().execute(() -> {
                    Call call = new Call(node, process);
                    keys.forEach(key -> call.get(key, options));
                }));
    }

    /** Returns the calls that have not ended although their node has been undisturbed since they began. */
    List<String> hangingCalls() {
        return calls.stream()
                .filter(Call::hangs)
                .map(call -> "never ended: " + call.operations)
                .toList();
    }

    /** Returns the writes that failed without effect, but are on a disk. */
    List<String> failedAndDone() {
        List<String> found = new ArrayList<>();
        for (Operation write : history.all()) {
            byte[] value = write.written();
            if (write.outcome() == Operation.Outcome.FAILED && value != null) {
                disks.stream()
                        .filter(disk -> disk.everKept().anyMatch(entry -> Arrays.equals(entry.value(), value)))
                        .forEach(disk -> found.add(disk + " has what certainly failed: " + write));
            }
        }
        return found;
    }

    private Key one() {
        return keys.get(random.nextInt(keys.size()));
    }

    private Set<Key> some(int count) {
        Set<Key> some = new LinkedHashSet<>();
        for (int i = 0; i < count; i++) {
            some.add(one());
        }
        return some;
    }

    /** Returns a unique value, which identifies its write. */
    private byte[] value() {
        byte[] value = new byte[random.nextBoolean() ? SMALL : LARGE];
        int number = ++written;
        for (int i = 0; i < SMALL; i++) {
            value[i] = (byte) (number >> (Byte.SIZE * i));
        }
        return value;
    }

    /** A call through a node, with one or several operations. */
    private final class Call {

        private final SimulatedNode node;
        private final SimulatedNode.Running process;
        private final Cluster cluster;
        private final long clock;
        private final VirtualEnvironment environment;
        private final Duration began = world.elapsed();
        private final int begun = history.next();
        private boolean isSetAside;
        private final List<Operation> operations = new ArrayList<>();
        /** When the current timeout began: each page has its own. */
        private Duration asked = began;

        Call(SimulatedNode node, SimulatedNode.Running process) {
            this.node = node;
            this.process = process;
            this.cluster = process.cluster();
            this.environment = process.environment();
            this.clock = environment.currentTimeMillis();
            this.isSetAside = setAside.test(node);
            calls.add(this);
        }

        boolean hangs() {
            return operations.get(0).outcome() == Operation.Outcome.OPEN
                    && node.running().filter(process::equals).isPresent();
        }

        void put(Set<Key> chosen) {
            // The expiry of a value changes the register without an operation.
            Optional<Duration> timeToLive = expiring && random.nextInt(5) == 0
                    ? Optional.of(Duration.ofSeconds(1 + random.nextInt(60)))
                    : Optional.empty();
            CallOptions options = timeToLive.map(quorum::withTimeToLive).orElse(quorum);
            long expiry = timeToLive.map(ttl -> clock + ttl.toMillis()).orElse(Entry.NEVER);
            Map<Key, byte[]> values = new LinkedHashMap<>();
            for (Key key : chosen) {
                byte[] value = value();
                values.put(key, value);
                begin(Operation.put(key, node.node.id().value(), begun, clock, value, expiry));
            }
            Map.Entry<Key, byte[]> first = values.entrySet().iterator().next();
            watchWrite(
                    values.size() == 1
                            ? cluster.put(first.getKey(), first.getValue(), options)
                            : cluster.putAll(values, options));
        }

        void delete(Key key) {
            begin(Operation.delete(key, node.node.id().value(), begun, clock));
            watchWrite(cluster.delete(key, quorum));
        }

        void get(Key key, CallOptions options) {
            Operation read = beginRead(Operation.Kind.READ, key);
            watch(cluster.get(key, options), value -> shown(read, value));
        }

        void getAll(List<Key> all, CallOptions options) {
            Map<Key, Operation> reads = new LinkedHashMap<>();
            all.forEach(key -> reads.put(key, beginRead(Operation.Kind.READ, key)));
            watch(
                    cluster.getAll(all, options),
                    values -> reads.forEach((key, read) -> shown(read, Optional.ofNullable(values.get(key)))));
        }

        void scan() {
            Map<Key, Operation> reads = new LinkedHashMap<>();
            keys.forEach(key -> reads.put(key, beginRead(Operation.Kind.SCAN, key)));
            watch(
                    pages(cluster.scan(KeyRange.all(), ScanScope.CLUSTER, quorum), new HashMap<>()),
                    values -> reads.forEach((key, read) -> shown(read, Optional.ofNullable(values.get(key)))));
        }

        /** Collects all further pages, up to the empty one at the end. */
        private CompletionStage<Map<Key, Value>> pages(Scan scan, Map<Key, Value> values) {
            asked = world.elapsed();
            return scan.next()
                    .exceptionallyCompose(error -> failedAgain(scan, error))
                    .thenCompose(page -> {
                        page.forEach(entry -> values.put(entry.key(), entry.value()));
                        if (page.isEmpty()) {
                            return CompletableFuture.completedFuture(values);
                        }
                        checkTime();
                        return pages(scan, values);
                    });
        }

        /**
         * Requests another page after a failure and checks that it fails too: a failed scan must neither end nor
         * continue.
         */
        private CompletionStage<List<KeyValue>> failedAgain(Scan scan, Throwable first) {
            return scan.next().handle((page, error) -> {
                if (error == null || !DhtException.unwrap(error).equals(DhtException.unwrap(first))) {
                    violations.add(operations + " failed with " + first + ", and then went on with "
                            + (error == null ? page : error));
                }
                throw new CompletionException(DhtException.unwrap(first));
            });
        }

        private Operation beginRead(Operation.Kind kind, Key key) {
            return begin(Operation.read(kind, key, node.node.id().value(), begun, clock));
        }

        private Operation begin(Operation operation) {
            operations.add(operation);
            processes.put(operation, process);
            history.add(operation);
            return operation;
        }

        private void watchWrite(CompletionStage<Version> stage) {
            watch(
                    stage,
                    version -> operations.forEach(write -> {
                        write.wrote(versionOf(write, version));
                        requireKept(write);
                        acknowledged.accept(write);
                    }));
        }

        /**
         * Checks that a write is on as many disks as have acknowledged it, even if a newer write superseded it there.
         */
        private void requireKept(Operation write) {
            Version version = write.version().orElseThrow();
            long kept = disks.stream()
                    .filter(each -> each.everKept()
                            .anyMatch(entry -> entry.key().equals(write.key())
                                    && entry.version().equals(version)))
                    .count();
            if (kept < needed) {
                violations.add(write + " was acknowledged, and is on " + kept + " of " + needed + " disks");
            }
        }

        /** Keys written together may have different versions; the call returns the greatest. */
        private Version versionOf(Operation write, Version greatest) {
            return operations.size() == 1
                    ? greatest
                    : disks.stream()
                            .flatMap(SimulatedDisk::everKept)
                            .filter(entry ->
                                    entry.key().equals(write.key()) && Arrays.equals(entry.value(), write.written()))
                            .map(Entry::version)
                            .max(Comparator.naturalOrder())
                            .orElse(greatest);
        }

        private <T> void watch(CompletionStage<T> stage, Consumer<T> result) {
            stage.whenComplete((value, error) -> {
                try {
                    ended(error == null ? Optional.empty() : Optional.of(DhtException.unwrap(error)));
                    if (error == null) {
                        result.accept(value);
                    }
                } catch (RuntimeException e) {
                    // A stage hides the exceptions of its callbacks.
                    violations.add("the check of " + operations + " failed: " + e);
                }
            });
        }

        private void ended(Optional<Throwable> error) {
            int moment = history.next();
            isSetAside |= setAside.test(node);
            Operation.Outcome done = isSetAside ? Operation.Outcome.UNKNOWN : Operation.Outcome.DONE;
            for (Operation operation : operations) {
                operation.end(
                        moment,
                        environment.currentTimeMillis(),
                        error.map(Operation.Outcome::of).orElse(done));
                if (operation.outcome() == Operation.Outcome.FAILED && operation.wasSeen()) {
                    violations.add("a read has shown what certainly failed: " + operation);
                }
            }
            checkTime();
            error.filter(e -> calm)
                    .ifPresent(e -> violations.add(operations + " failed although nothing else did: " + e));
            error.filter(e -> !(e instanceof DhtException known && EXPECTED.contains(known.code())))
                    .ifPresent(e -> violations.add(operations + " ended with " + e));
        }

        private void checkTime() {
            Duration took = world.elapsed().minus(asked);
            if (took.compareTo(Simulator.TIMEOUT) > 0 && node.wasRunningSince(began)) {
                violations.add(operations + " took " + took + ", longer than " + Simulator.TIMEOUT);
            }
        }

        private void shown(Operation read, Optional<Value> value) {
            if (isSetAside) {
                return;
            }
            read.showed(value);
            check.violation(read).ifPresent(violations::add);
        }
    }
}
