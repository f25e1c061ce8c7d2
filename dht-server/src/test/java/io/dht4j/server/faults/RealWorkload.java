package io.dht4j.server.faults;

import io.dht4j.AtomicCounter;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.DhtException;
import io.dht4j.IndeterminateException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.RequestId;
import io.dht4j.Scan;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.simulator.history.CounterCheck;
import io.dht4j.simulator.history.History;
import io.dht4j.simulator.history.Operation;
import io.dht4j.simulator.history.OrderCheck;
import io.dht4j.simulator.history.ReadCheck;
import io.dht4j.simulator.history.SupersededCheck;
import io.dht4j.spi.Entry;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * What clients do, each on a thread of its own, through any node: they write, read and delete a few keys over and over,
 * and write others once. If asked to, they add to atomic counters, too. All is kept in a history, which is judged at
 * the end. Safe for use by any number of threads.
 */
final class RealWorkload {

    private static final int HOT_KEYS = 12;

    private static final KeyRange HOT = KeyRange.between(Key.of("hot/"), Key.of("hot0"));
    /** Far longer than any call may take. */
    private static final int PATIENCE_SECONDS = 60;
    /** Clients do not ask as fast as they can: what is to be found are wrong answers, not the limits of the machine. */
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(8);

    private static final int SMALL = 12;
    /** Too large to come with every answer. */
    private static final int LARGE = 6_000;

    /** The most additions to a counter: its sum stays positive. */
    private static final int MOST_ADDITIONS = Long.SIZE - 2;

    /** How many counters are in use at a time. */
    private static final int COUNTERS = 3;

    private static final String COUNTERS_MAP = "counters";

    private final int longestPauseMicros;
    private final boolean counts;
    /** The counters in use, by their numbers, and how many additions each has had. */
    private final Map<Integer, Integer> additions = new TreeMap<>();

    private final List<CounterCheck.Call> countings = new ArrayList<>();
    private final List<Key> hot = new ArrayList<>();
    private final List<Key> once = new ArrayList<>();
    private final History history = new History();
    private final List<String> violations = new ArrayList<>();
    private final Map<String, Integer> failures = new TreeMap<>();
    private final List<FailedCall> failedCalls = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private int written;
    private int acknowledged;
    private volatile boolean over;

    /** A node as clients see it, through one of its public APIs. */
    record Door(String node, Cluster cluster) {

        /** What the node holds itself. */
        Map<Key, Value> alone() {
            Map<Key, Value> held = new TreeMap<>();
            cluster.scan(KeyRange.all(), ScanScope.NODE, CallOptions.defaults())
                    .forEach(entry -> held.put(entry.key(), entry.value()))
                    .toCompletableFuture()
                    .join();
            return held;
        }
    }

    /** A call that failed; moments are those of the history. */
    record FailedCall(String node, int begun, int ended, String what) {}

    RealWorkload() {
        this(LONGEST_PAUSE, false);
    }

    /**
     * A workload whose clients pause at most so long between calls.
     *
     * @param counts whether they add to atomic counters
     */
    RealWorkload(Duration longestPause, boolean counts) {
        this.counts = counts;
        this.longestPauseMicros = Math.toIntExact(TimeUnit.NANOSECONDS.toMicros(longestPause.toNanos()));
        for (int i = 0; i < HOT_KEYS; i++) {
            hot.add(Key.of("hot/" + i));
        }
    }

    /** Starts a client, which chooses a door for each call. */
    void startClient(Supplier<List<Door>> doors, SplittableRandom random) {
        Thread thread = new Thread(
                () -> {
                    while (!over) {
                        List<Door> open = doors.get();
                        Door door = open.get(random.nextInt(open.size()));
                        if (counts && random.nextInt(3) == 0) {
                            count(door, open.get(random.nextInt(open.size())), random);
                        } else {
                            operate(door, random);
                        }
                        LockSupport.parkNanos(1_000L * random.nextInt(longestPauseMicros));
                    }
                },
                "client " + threads.size());
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    /** Lets all clients end. */
    void stopClients() throws InterruptedException {
        over = true;
        for (Thread thread : threads) {
            thread.join(TimeUnit.SECONDS.toMillis(2 * PATIENCE_SECONDS));
            if (thread.isAlive()) {
                violation(thread.getName() + " has not ended");
            }
        }
    }

    private void operate(Door door, SplittableRandom random) {
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4 -> put(door, Set.of(one(hot, random)), random);
            case 5 -> put(door, some(random), random);
            case 6, 7 -> delete(door, one(hot, random));
            case 8, 9, 10 -> put(door, Set.of(nextKey()), random);
            case 11 -> getAll(door, hot);
            case 12 -> scan(door, ScanScope.CLUSTER, Operation.Kind.SCAN, HOT, hot);
            case 13, 14 -> get(door, one(keys(), random));
            default -> get(door, one(hot, random));
        }
    }

    private static Key one(List<Key> keys, SplittableRandom random) {
        return keys.get(random.nextInt(keys.size()));
    }

    private Set<Key> some(SplittableRandom random) {
        Set<Key> some = new LinkedHashSet<>();
        for (int i = 0; i < 3; i++) {
            some.add(one(hot, random));
        }
        return some;
    }

    /** A key that nobody has written. */
    private synchronized Key nextKey() {
        Key key = Key.of("once/" + once.size());
        once.add(key);
        return key;
    }

    /** All keys that anybody may have written. */
    synchronized List<Key> keys() {
        List<Key> keys = new ArrayList<>(hot);
        keys.addAll(once);
        return keys;
    }

    /** Unique, so that a read identifies the write that it shows. */
    private synchronized byte[] value(SplittableRandom random) {
        return ByteBuffer.allocate(random.nextInt(8) == 0 ? LARGE : SMALL)
                .putInt(++written)
                .array();
    }

    private void put(Door door, Set<Key> keys, SplittableRandom random) {
        Map<Key, byte[]> values = new LinkedHashMap<>();
        keys.forEach(key -> values.put(key, value(random)));
        Map.Entry<Key, byte[]> first = values.entrySet().iterator().next();
        call(
                values.size() == 1
                        ? cluster -> cluster.put(first.getKey(), first.getValue())
                        : cluster -> cluster.putAll(values),
                door,
                begun -> {
                    List<Operation> operations = new ArrayList<>();
                    values.forEach((key, value) -> operations.add(
                            Operation.put(key, door.node(), begun, System.currentTimeMillis(), value, Entry.NEVER)));
                    return operations;
                },
                (operation, version) -> {
                    // Of several keys the greatest version is reported, and each may have another: it is the one that
                    // is
                    // seen.
                    if (values.size() == 1) {
                        operation.wrote(version);
                    }
                });
    }

    private void delete(Door door, Key key) {
        call(
                cluster -> cluster.delete(key),
                door,
                begun -> List.of(Operation.delete(key, door.node(), begun, System.currentTimeMillis())),
                Operation::wrote);
    }

    private void get(Door door, Key key) {
        call(
                cluster -> cluster.get(key),
                door,
                begun -> List.of(read(Operation.Kind.READ, key, door, begun)),
                Operation::showed);
    }

    /** Reads keys together. */
    void getAll(Door door, List<Key> keys) {
        call(
                cluster -> cluster.getAll(keys),
                door,
                begun -> keys.stream()
                        .map(key -> read(Operation.Kind.READ, key, door, begun))
                        .toList(),
                (read, values) -> read.showed(Optional.ofNullable(values.get(read.key()))));
    }

    /** Scans for keys; each counts as a read of this kind. */
    void scan(Door door, ScanScope scope, Operation.Kind kind, KeyRange range, List<Key> keys) {
        Map<Key, Value> found = new LinkedHashMap<>();
        call(
                cluster -> {
                    Scan scan = cluster.scan(range, scope, CallOptions.defaults());
                    return scan.forEach((KeyValue entry) -> found.put(entry.key(), entry.value()))
                            .whenComplete((done, error) -> scan.close());
                },
                door,
                begun -> keys.stream().map(key -> read(kind, key, door, begun)).toList(),
                (read, done) -> read.showed(Optional.ofNullable(found.get(read.key()))));
    }

    private static Operation read(Operation.Kind kind, Key key, Door door, int begun) {
        return Operation.read(kind, key, door.node(), begun, System.currentTimeMillis());
    }

    /** Completes an operation with the result of its call. */
    private interface Completion<T> {
        void of(Operation operation, T result);
    }

    /**
     * Adds to a counter, or reads it. If it is unknown whether an addition was made, it is repeated at another door.
     */
    private void count(Door door, Door other, SplittableRandom random) {
        boolean adds = random.nextInt(4) > 0;
        int number = random.nextInt(COUNTERS);
        long addend = 0;
        Key key;
        int begun;
        synchronized (this) {
            while (additions.getOrDefault(number, 0) == MOST_ADDITIONS) {
                number += COUNTERS;
            }
            key = counter(number);
            if (adds) {
                addend = 1L << additions.getOrDefault(number, 0);
                additions.merge(number, 1, Integer::sum);
            }
            begun = history.next();
        }
        count(key, addend, begun, List.of(door, other), Optional.empty());
    }

    private static Key counter(int number) {
        return Key.of("c" + number);
    }

    private void count(Key key, long addend, int begun, List<Door> doors, Optional<RequestId> id) {
        Door door = doors.get(0);
        AtomicCounter any = door.cluster().atomicCounter(COUNTERS_MAP, key);
        AtomicCounter counter = id.isPresent() ? any.with(CallOptions.defaults().withRequestId(id.get())) : any;
        Optional<Long> sum = Optional.empty();
        boolean mayBeDone = addend != 0;
        try {
            sum = Optional.of((addend == 0 ? counter.get() : counter.add(addend))
                    .toCompletableFuture()
                    .get(PATIENCE_SECONDS, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            Throwable failure = DhtException.unwrap(e);
            counterFailed(door, begun, key, failure);
            if (failure instanceof IndeterminateException unknown
                    && unknown.requestId().isPresent()
                    && doors.size() > 1) {
                count(key, addend, begun, doors.subList(1, doors.size()), unknown.requestId());
                return;
            }
            mayBeDone &= id.isPresent() || failure instanceof IndeterminateException;
        } catch (TimeoutException e) {
            violation("never ended: an operation on counter " + key);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            countings.add(new CounterCheck.Call(key, addend, begun, history.next(), sum, mayBeDone, door.node()));
        }
    }

    private synchronized void counterFailed(Door door, int begun, Key key, Throwable failure) {
        failedCalls.add(new FailedCall(door.node(), begun, history.next(), "counter " + key + ": " + failure));
        if (failure instanceof DhtException known) {
            failures.merge("counter " + known.code(), 1, Integer::sum);
        } else {
            violations.add("counter " + key + " ended with " + failure);
        }
    }

    /** Reads all counters through a door. */
    void readCounters(Door door) {
        List<Integer> numbers;
        synchronized (this) {
            numbers = List.copyOf(additions.keySet());
        }
        numbers.forEach(number -> count(counter(number), 0, moment(), List.of(door), Optional.empty()));
    }

    /** Calls, waits for the end, and keeps what came of it. */
    private <T> void call(
            Function<Cluster, CompletionStage<T>> call,
            Door door,
            Function<Integer, List<Operation>> begin,
            Completion<T> completion) {
        int from = moment();
        List<Operation> operations = begun(begin);
        Operation.Outcome outcome = Operation.Outcome.UNKNOWN;
        Optional<T> result = Optional.empty();
        try {
            // A scan brings nothing but its end.
            result = Optional.ofNullable(
                    call.apply(door.cluster()).toCompletableFuture().get(PATIENCE_SECONDS, TimeUnit.SECONDS));
            outcome = Operation.Outcome.DONE;
        } catch (ExecutionException e) {
            outcome = Operation.Outcome.of(e);
            failed(door, from, operations, DhtException.unwrap(e));
        } catch (TimeoutException e) {
            violation("never ended: " + operations);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        ended(operations, outcome, completion, result);
    }

    private synchronized List<Operation> begun(Function<Integer, List<Operation>> begin) {
        List<Operation> operations = begin.apply(history.next());
        operations.forEach(history::add);
        return operations;
    }

    @SuppressWarnings("NullAway")
    private synchronized <T> void ended(
            List<Operation> operations, Operation.Outcome outcome, Completion<T> completion, Optional<T> result) {
        int moment = history.next();
        for (Operation operation : operations) {
            operation.end(moment, System.currentTimeMillis(), outcome);
            if (outcome == Operation.Outcome.DONE) {
                completion.of(operation, result.orElse(null));
                acknowledged += operation.isWrite() ? 1 : 0;
            }
        }
    }

    private synchronized void failed(Door door, int from, List<Operation> operations, Throwable error) {
        failedCalls.add(new FailedCall(door.node(), from, history.next(), operations.get(0) + ": " + error));
        if (error instanceof DhtException known) {
            failures.merge(known.code().toString(), 1, Integer::sum);
        } else {
            violation(operations + " ended with " + error);
        }
    }

    private synchronized void violation(String what) {
        violations.add(what);
    }

    /** The present moment. */
    synchronized int moment() {
        return history.next();
    }

    /** All calls that failed so far. */
    synchronized List<FailedCall> failedCalls() {
        return List.copyOf(failedCalls);
    }

    /** How many writes were acknowledged so far. */
    synchronized int acknowledged() {
        return acknowledged;
    }

    /** Judges all that has happened. */
    synchronized List<String> violations() {
        List<String> found = new ArrayList<>(violations);
        ReadCheck check = new ReadCheck(history, SupersededCheck.inHistory(history));
        history.all().stream()
                .filter(each -> !each.isWrite() && each.outcome() == Operation.Outcome.DONE)
                .sorted(Comparator.comparingInt(Operation::ended))
                .forEach(read -> check.violation(read).ifPresent(found::add));
        found.addAll(OrderCheck.violations(history));
        found.addAll(CounterCheck.violations(countings));
        return found;
    }

    /** What came of how many operations, and with which errors calls failed. */
    synchronized String summary() {
        Map<String, Integer> outcomes = new TreeMap<>();
        history.all().forEach(each -> outcomes.merge(each.kind() + " " + each.outcome(), 1, Integer::sum));
        long counted = countings.stream().filter(call -> call.sum().isPresent()).count();
        return history.all().size() + " operations " + outcomes + ", " + counted + " of " + countings.size()
                + " operations on counters, calls that failed " + failures;
    }
}
