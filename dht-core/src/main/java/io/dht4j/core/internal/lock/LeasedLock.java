package io.dht4j.core.internal.lock;

import io.dht4j.AtomicMap;
import io.dht4j.CallOptions;
import io.dht4j.DhtLock;
import io.dht4j.HeldLock;
import io.dht4j.Key;
import io.dht4j.Ranges;
import io.dht4j.Version;
import io.dht4j.Versioned;
import io.dht4j.spi.Environment;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** A lock at a key of an atomic map, with what was seen of its holder. */
final class LeasedLock implements DhtLock {

    private static final Duration LONGEST_CALL = Duration.ofSeconds(5);

    final Locks locks;
    final Environment environment;
    final AtomicMap<Key, String> map;
    final Key key;
    private final String name;
    private volatile Optional<Seen> seen = Optional.empty();
    /** Whether an attempt of this process writes: of those that wait here, one can get the lock. */
    private final AtomicBoolean isWriting = new AtomicBoolean();
    /** The read that is under way, which all attempts share. */
    private final AtomicReference<@Nullable CompletionStage<Optional<Versioned<String>>>> reading =
            new AtomicReference<>();

    /** The version of a lease, and a moment at which it had been chosen. */
    private record Seen(Version version, long atNanos) {}

    LeasedLock(Locks locks, Environment environment, AtomicMap<Key, String> map, Key key, String name) {
        this.locks = locks;
        this.environment = environment;
        this.map = map;
        this.key = key;
        this.name = name;
    }

    @Override
    public CompletionStage<Optional<HeldLock>> tryLock(Duration wait, Duration lease) {
        Ranges.require("wait", wait, Duration.ZERO, MAX_LEASE);
        Ranges.require("lease", lease, MIN_LEASE, MAX_LEASE);
        LeaseValue mine = new LeaseValue(Duration.ofMillis(lease.toMillis()), newHolder());
        return new Acquisition(this, wait, mine).start();
    }

    private String newHolder() {
        RandomGenerator random = environment.random();
        return String.format(Locale.ROOT, "%016x%016x", random.nextLong(), random.nextLong());
    }

    /** Returns the map whose operations end in some time, or in a few seconds. */
    AtomicMap<Key, String> mapWithin(Duration time) {
        Duration timeout = time.compareTo(LONGEST_CALL) < 0 ? time : LONGEST_CALL;
        return map.with(CallOptions.defaults().withTimeout(timeout));
    }

    /** Begins a write, or returns false: another attempt writes. Ends with {@link #writeEnded()}. */
    boolean mayWrite() {
        return isWriting.compareAndSet(false, true);
    }

    void writeEnded() {
        isWriting.set(false);
    }

    /** Reads the key, or joins the read that is under way. */
    CompletionStage<Optional<Versioned<String>>> read() {
        CompletionStage<Optional<Versioned<String>>> present = reading.get();
        if (present != null) {
            return present;
        }
        CompletableFuture<Optional<Versioned<String>>> mine = new CompletableFuture<>();
        if (!reading.compareAndSet(null, mine)) {
            return read();
        }
        try {
            mapWithin(LONGEST_CALL).get(key).whenComplete((found, error) -> ended(mine, found, error));
        } catch (Throwable e) {
            ended(mine, Optional.empty(), e);
        }
        return mine;
    }

    private void ended(
            CompletableFuture<Optional<Versioned<String>>> mine,
            Optional<Versioned<String>> found,
            @Nullable Throwable error) {
        reading.set(null);
        if (error == null) {
            mine.complete(found);
        } else {
            mine.completeExceptionally(error);
        }
    }

    /**
     * Notes the lease that was read.
     *
     * @return in how many nanoseconds its holder has ceased to hold the lock; zero or less if it has
     */
    long untilFree(Version version, LeaseValue lease) {
        long now = environment.nanoTime();
        Seen current = seen.filter(before -> before.version().equals(version)).orElseGet(() -> new Seen(version, now));
        seen = Optional.of(current);
        return current.atNanos() + lease.nanosOfOthers() - now;
    }

    @Override
    public String toString() {
        return name;
    }
}
