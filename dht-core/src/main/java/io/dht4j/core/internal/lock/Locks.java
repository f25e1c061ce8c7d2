package io.dht4j.core.internal.lock;

import io.dht4j.Cluster;
import io.dht4j.Codec;
import io.dht4j.DhtLock;
import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.core.internal.atomic.AtomicSpace;
import io.dht4j.spi.Environment;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The locks that the callers of one cluster hold or wait for, so that they end when the cluster is closed. */
public final class Locks {

    private static final Codec<Key> KEYS = new Codec<>() {
        @Override
        public byte[] encode(Key key) {
            return key.toByteArray();
        }

        @Override
        public Key decode(byte[] bytes) {
            return Key.of(bytes);
        }

        @Override
        public String name() {
            return "key";
        }
    };

    private final Cluster cluster;
    private final Environment environment;
    private final Set<Ending> open = ConcurrentHashMap.newKeySet();
    /** The locks that are in use, so that all callers at a key share its requests. */
    private final Map<Key, Known> known = new ConcurrentHashMap<>();

    private final ReferenceQueue<LeasedLock> dropped = new ReferenceQueue<>();
    /** The reason for closing; empty while open. */
    private volatile String closed = "";

    /** A lock that is forgotten when no caller has it any more. */
    private static final class Known extends WeakReference<LeasedLock> {

        final Key place;

        Known(Key place, LeasedLock lock, ReferenceQueue<LeasedLock> dropped) {
            super(lock, dropped);
            this.place = place;
        }
    }

    /** Something that ends with the cluster. */
    @FunctionalInterface
    interface Ending {

        /** Ends it, from any thread, perhaps repeatedly. */
        void end(String why);
    }

    /**
     * Creates the locks of a cluster.
     *
     * @param cluster executes their operations
     * @param environment their clock, their timers and the source of the names of holders
     */
    public Locks(Cluster cluster, Environment environment) {
        this.cluster = cluster;
        this.environment = environment;
    }

    /**
     * Returns a lock.
     *
     * @param map the name of the atomic map that it belongs to
     * @param key its key in the map
     * @return the lock
     * @throws IllegalArgumentException if the name or the key is too long, or the name empty
     */
    public DhtLock lock(String map, Key key) {
        Key place = place(map, key);
        for (Known gone = (Known) dropped.poll(); gone != null; gone = (Known) dropped.poll()) {
            known.remove(gone.place, gone);
        }
        LeasedLock made = new LeasedLock(
                this, environment, cluster.atomicMap(map, KEYS, Codec.text()), key, "lock " + key + " of map " + map);
        LeasedLock[] used = {made};
        known.compute(place, (same, reference) -> {
            LeasedLock present = reference == null ? null : reference.get();
            if (present == null) {
                return new Known(place, made, dropped);
            }
            used[0] = present;
            return reference;
        });
        return used[0];
    }

    /** Returns the key of a lock's register. What does not fit is an argument of this call, not of a stage. */
    private static Key place(String map, Key key) {
        try {
            return AtomicSpace.key(map, key);
        } catch (InvalidRequestException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /** Keeps what ends with the cluster, until it is removed; ends it now if the cluster is closed. */
    void add(Ending ending) {
        open.add(ending);
        if (!closed.isEmpty()) {
            ending.end(closed);
        }
    }

    void remove(Ending ending) {
        open.remove(ending);
    }

    /**
     * Ends all that is held and waited for, and begins to release what is held. May be called repeatedly.
     *
     * @param why a sentence for those who hold or wait
     */
    public void close(String why) {
        closed = why;
        open.forEach(ending -> ending.end(why));
    }
}
