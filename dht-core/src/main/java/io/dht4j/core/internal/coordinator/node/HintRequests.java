package io.dht4j.core.internal.coordinator.node;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.core.internal.coordinator.peer.PeerFailure;
import io.dht4j.core.internal.coordinator.peer.ReplicaClient;
import io.dht4j.core.internal.coordinator.peer.ReplyHandler;
import io.dht4j.core.internal.handoff.HintSender;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.FencingToken;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.Entry;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Sends hints as writes, each part in a frame of its own. Does not block; safe for use by any number of threads. */
final class HintRequests implements HintSender {

    private final ReplicaClient client;
    private final BackgroundRequests requests;
    private final HintTargets targets;

    HintRequests(ReplicaClient client, BackgroundRequests requests, HintTargets targets) {
        this.client = client;
        this.requests = requests;
        this.targets = targets;
    }

    @Override
    public void send(Node node, List<Entry> entries, Outcome outcome) {
        if (!client.limits().isQuiet(node.id())) {
            outcome.failed(true, node.id() + ": overloaded: it has calls to answer, and hints can wait");
            return;
        }
        new Delivery(node.id(), targets.of(node, entries), outcome).next();
    }

    /** The requests of some hints, one after the other. */
    private final class Delivery {

        private final NodeId missing;
        private final ClusterView view;
        private final Iterator<Map.Entry<Node, List<Entry>>> rest;
        private final Outcome outcome;
        /** What other nodes than the one that has missed the writes have not taken. */
        private final Map<Node, List<Entry>> left = new LinkedHashMap<>();

        private boolean isTaken;
        private @Nullable PeerFailure last;

        private Delivery(NodeId missing, HintTargets.Routes routes, Outcome outcome) {
            this.missing = missing;
            this.view = routes.view();
            this.rest = routes.nodes().entrySet().iterator();
            this.outcome = outcome;
        }

        private void next() {
            if (!rest.hasNext()) {
                end();
                return;
            }
            Map.Entry<Node, List<Entry>> part = rest.next();
            Node node = part.getKey();
            FencingToken token = view.token(part.getValue());
            requests.ask(
                    node,
                    new Request.ApplyEntries(part.getValue()),
                    token,
                    ReplyHandler.of(
                            reply -> {
                                isTaken = true;
                                next();
                            },
                            failure -> {
                                requests.learn(failure, token);
                                last = failure;
                                if (node.id().equals(missing)) {
                                    failed(failure);
                                } else {
                                    left.put(node, part.getValue());
                                    next();
                                }
                            }));
        }

        private void end() {
            if (last != null && !isTaken) {
                failed(last);
            } else {
                left.forEach(outcome::missed);
                outcome.taken();
            }
        }

        private void failed(PeerFailure failure) {
            ErrorCode code = failure.code();
            if (code == ErrorCode.VALUE_TOO_LARGE || code == ErrorCode.VERSION_TOO_OLD) {
                outcome.refused(failure.message());
            } else {
                // Most other refusals pass: a clock that is ahead, another version of the software, a full disk.
                boolean answered =
                        code != ErrorCode.NOT_SENT && code != ErrorCode.NO_REPLY && code != ErrorCode.INTERNAL;
                outcome.failed(answered, failure.toString());
            }
        }
    }
}
