package io.dht4j.testkit.simulator;

import io.dht4j.Key;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What clients did and learned, in the order in which it began. Confined to the simulation's thread. */
final class History {

    private final Map<Key, List<Operation>> byKey = new LinkedHashMap<>();
    private final List<Operation> all = new ArrayList<>();
    private int moment;

    /** A new moment, after all others. */
    int next() {
        return ++moment;
    }

    void add(Operation operation) {
        all.add(operation);
        byKey.computeIfAbsent(operation.key, key -> new ArrayList<>()).add(operation);
    }

    List<Operation> all() {
        return all;
    }

    List<Operation> of(Key key) {
        return byKey.getOrDefault(key, List.of());
    }

    List<Operation> writesOf(Key key) {
        return of(key).stream().filter(Operation::isWrite).toList();
    }
}
