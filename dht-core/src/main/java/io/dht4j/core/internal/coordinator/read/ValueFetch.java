package io.dht4j.core.internal.coordinator.read;

import io.dht4j.Node;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.coordinator.quorum.ReplicaAnswer;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Fetches the value of a version that a replica has named, from this replica or from another one that has it or a newer
 * one: one after the other.
 */
final class ValueFetch {

    private final ReadRequests requests;
    private final KeyRead read;
    private final ReplicaAnswer wanted;
    private final List<Node> nodes;
    private final Outcome outcome;

    /** Receives the end of a fetch, or of one of its requests. */
    interface Outcome {

        /** The value, or a newer one, is here. */
        void fetched(ReplicaAnswer found);

        /** A replica has failed: the next one is asked by {@code next}, if that is called. */
        void failed(PeerFailure failure, Runnable next);

        /** No replica has sent the value. */
        void missing();
    }

    ValueFetch(ReadRequests requests, KeyRead read, ReplicaAnswer wanted, Outcome outcome) {
        this.requests = requests;
        this.read = read;
        this.wanted = wanted;
        this.nodes = new ArrayList<>(read.replicas);
        nodes.remove(wanted.node());
        nodes.add(0, wanted.node());
        this.outcome = outcome;
    }

    void begin() {
        ask(0);
    }

    private void ask(int index) {
        if (index == nodes.size()) {
            outcome.missing();
            return;
        }
        Node node = nodes.get(index);
        Runnable next = () -> ask(index + 1);
        requests.fetch(
                node,
                read,
                ReplyHandler.of(
                        reply -> {
                            List<Answer> answers = ((Reply.Found) reply).answers();
                            ReplicaAnswer found = new ReplicaAnswer(node, answers.get(0));
                            if (isEnough(found)) {
                                outcome.fetched(found);
                            } else {
                                next.run();
                            }
                        },
                        failure -> outcome.failed(failure, next)));
    }

    private boolean isEnough(ReplicaAnswer found) {
        Optional<Entry> entry = found.entry();
        return entry.isPresent()
                && (entry.get().version().compareTo(wanted.version().orElseThrow()) > 0 || found.isSameAs(wanted));
    }
}
