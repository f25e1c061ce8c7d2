package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.ErrorCode;
import io.dht4j.Node;
import io.dht4j.core.internal.coordinator.config.NodeComponents;
import io.dht4j.core.internal.coordinator.config.NodeConfig;
import io.dht4j.core.internal.handoff.HintSender;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.core.internal.wire.Request;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Entry;
import java.util.List;

/** Brings hints to their nodes as writes, each batch in a frame of its own. */
public final class PeerHints implements HintSender {

    private final NodeComponents parts;
    private final NodeConfig limits;
    private final ReplicaClient peers;

    public PeerHints(NodeComponents parts, NodeConfig limits, ReplicaClient peers) {
        this.parts = parts;
        this.limits = limits;
        this.peers = peers;
    }

    @Override
    public boolean isSuspected(Node node) {
        return peers.isSuspected(node);
    }

    @Override
    public void send(Node node, List<Entry> entries, Outcome outcome) {
        if (!peers.room().isQuiet(node.id())) {
            outcome.failed(true, node.id() + ": overloaded: it has calls to answer, and hints can wait");
            return;
        }
        CallContext context =
                new CallContext(parts.environment()::nanoTime, limits.timeout().toNanos());
        peers.ask(node, Outgoing.alone(new Request.ApplyEntries(entries)), context, new ReplyHandler() {
            @Override
            public void replied(Reply reply) {
                outcome.taken();
            }

            @Override
            public void failed(PeerFailure failure) {
                ErrorCode code = failure.code();
                if (code == ErrorCode.VALUE_TOO_LARGE || code == ErrorCode.VERSION_TOO_OLD) {
                    outcome.refused(failure.message());
                } else {
                    // Of other refusals most pass: a clock that is ahead, another version of the software, a full disk.
                    boolean answered = code != ErrorCode.NOT_SENT && code != ErrorCode.INTERNAL;
                    outcome.failed(answered, failure.toString());
                }
            }
        });
    }
}
