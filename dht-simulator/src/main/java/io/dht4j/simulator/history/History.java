package io.dht4j.simulator.history;

import io.dht4j.Key;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The operations of clients and their results, in the order in which they began. Not thread-safe: the history and its
 * operations are confined to one thread or guarded by a lock of the caller.
 */
public final class History {

    private final Map<Key, List<Operation>> byKey = new LinkedHashMap<>();
    private final Map<Key, List<Operation>> writesByKey = new LinkedHashMap<>();
    private final List<Operation> all = new ArrayList<>();
    private int moment;

    /** Creates an empty history. */
    public History() {}

    /**
     * Returns a new moment.
     *
     * @return a number greater than all before
     */
    public int next() {
        return ++moment;
    }

    /**
     * Adds an operation that begins.
     *
     * @param operation the operation
     */
    public void add(Operation operation) {
        all.add(operation);
        byKey.computeIfAbsent(operation.key(), key -> new ArrayList<>()).add(operation);
        if (operation.isWrite()) {
            writesByKey
                    .computeIfAbsent(operation.key(), key -> new ArrayList<>())
                    .add(operation);
        }
    }

    /**
     * Returns all operations.
     *
     * @return in the order in which they began; grows with the history
     */
    public List<Operation> all() {
        return Collections.unmodifiableList(all);
    }

    /**
     * Returns the keys of all operations.
     *
     * @return each once
     */
    public Set<Key> keys() {
        return Collections.unmodifiableSet(byKey.keySet());
    }

    /**
     * Returns the operations on a key.
     *
     * @param key any key
     * @return in the order in which they began, empty if there are none; may grow with the history
     */
    public List<Operation> of(Key key) {
        return Collections.unmodifiableList(byKey.getOrDefault(key, List.of()));
    }

    /**
     * Returns the writes of a key, including deletes.
     *
     * @param key any key
     * @return in the order in which they began, empty if there are none; may grow with the history
     */
    public List<Operation> writesOf(Key key) {
        return Collections.unmodifiableList(writesByKey.getOrDefault(key, List.of()));
    }
}
