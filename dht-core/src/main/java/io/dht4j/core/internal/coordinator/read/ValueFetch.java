package io.dht4j.core.internal.coordinator.read;

import io.dht4j.Node;
import io.dht4j.core.internal.coordinator.quorum.ReplicaAnswer;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Fetches the value of a reported version from one replica after the other that has it or a newer one. */
final class ValueFetch {

    private final ReadOperation operation;
    private final ReadRequests requests;
    private final KeyRead read;
    private final ReplicaAnswer wanted;
    private final List<Node> nodes;

    ValueFetch(ReadOperation operation, ReadRequests requests, KeyRead read, ReplicaAnswer wanted) {
        this.operation = operation;
        this.requests = requests;
        this.read = read;
        this.wanted = wanted;
        this.nodes = new ArrayList<>(read.replicas);
        nodes.remove(wanted.node());
        nodes.add(0, wanted.node());
    }

    void begin() {
        ask(0);
    }

    private void ask(int index) {
        if (index == nodes.size()) {
            operation.fail("read failed: no replica sent the value of version "
                    + wanted.version().orElseThrow());
            return;
        }
        Runnable next = () -> ask(index + 1);
        requests.fetch(
                nodes.get(index),
                read,
                found -> {
                    if (isEnough(found)) {
                        operation.fetched(read, found);
                    } else {
                        next.run();
                    }
                },
                failure -> operation.continueByNewest(read, failure, next));
    }

    private boolean isEnough(ReplicaAnswer found) {
        Optional<Entry> entry = found.entry();
        return entry.isPresent()
                && (entry.get().version().compareTo(wanted.version().orElseThrow()) > 0 || found.isSameAs(wanted));
    }
}
