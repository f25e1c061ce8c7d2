package io.dht4j.core.internal.coordinator.peer;

import io.dht4j.NodeId;
import io.dht4j.core.internal.observation.ObservedCall;
import io.dht4j.core.internal.observation.TracedSpan;
import io.dht4j.core.internal.replica.CallLiveness;
import io.dht4j.core.internal.wire.Reply;
import io.dht4j.spi.CallContext;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request to the replica of this node, which has no limit. It receives its own reply, so that it costs one object.
 *
 * @param self this node
 * @param context the deadline, and whether the reply is still wanted
 * @param handler receives the outcome
 */
record LocalRequest(NodeId self, CallContext context, ReplyHandler handler) implements CallLiveness, Consumer<Reply> {

    @Override
    public boolean isExpired() {
        return context.isExpired();
    }

    @Override
    public boolean isOver() {
        return !handler.isWanted() || context.isCancelled() || context.isExpired();
    }

    @Override
    public @Nullable TracedSpan span() {
        ObservedCall call = handler.call();
        return call == null ? null : call.span();
    }

    @Override
    public void accept(Reply reply) {
        if (reply instanceof Reply.Failed failed) {
            handler.failed(PeerFailure.of(self, failed, true));
        } else {
            handler.replied(self, reply);
        }
    }
}
