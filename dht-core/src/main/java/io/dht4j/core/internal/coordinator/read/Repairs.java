package io.dht4j.core.internal.coordinator.read;

import java.util.ArrayList;
import java.util.List;

/** Collects the repairs that one reply calls for, to be sent together. Of one thread. */
final class Repairs {

    private final ReadRepair sender;
    private List<Repair> found = List.of();

    Repairs(ReadRepair sender) {
        this.sender = sender;
    }

    void add(Repair added) {
        if (found.isEmpty()) {
            found = new ArrayList<>();
        }
        found.add(added);
    }

    void send() {
        if (!found.isEmpty()) {
            sender.send(found);
        }
    }
}
