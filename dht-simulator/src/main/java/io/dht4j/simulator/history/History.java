package io.dht4j.simulator.history;

import io.dht4j.Key;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What clients did and learned, in the order in which it began. Not safe for use by several threads: it and its
 * operations belong to one, or to who holds a lock of the caller's.
 */
public final class History {

    private final Map<Key, List<Operation>> byKey = new LinkedHashMap<>();
    private final Map<Key, List<Operation>> writesByKey = new LinkedHashMap<>();
    private final List<Operation> all = new ArrayList<>();
    private int moment;

    /** A history of nothing. */
    public History() {}

    /**
     * A new moment.
     *
     * @return a number greater than all before
     */
    public int next() {
        return ++moment;
    }

    /**
     * Keeps an operation that begins.
     *
     * @param operation what a client does from now on
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
     * All operations.
     *
     * @return in the order in which they began; grows with the history
     */
    public List<Operation> all() {
        return Collections.unmodifiableList(all);
    }

    /**
     * The keys that clients touched.
     *
     * @return each once
     */
    public Set<Key> keys() {
        return Collections.unmodifiableSet(byKey.keySet());
    }

    /**
     * The operations of a key.
     *
     * @param key any key
     * @return in the order in which they began, none if nobody touched the key; may grow with the history
     */
    public List<Operation> of(Key key) {
        return Collections.unmodifiableList(byKey.getOrDefault(key, List.of()));
    }

    /**
     * The writes of a key, deletes among them.
     *
     * @param key any key
     * @return in the order in which they began, none if nobody wrote the key; may grow with the history
     */
    public List<Operation> writesOf(Key key) {
        return Collections.unmodifiableList(writesByKey.getOrDefault(key, List.of()));
    }
}
