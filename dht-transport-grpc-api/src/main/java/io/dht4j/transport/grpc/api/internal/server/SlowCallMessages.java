package io.dht4j.transport.grpc.api.internal.server;

import io.dht4j.SlowCall;
import io.dht4j.v1.SlowCallsResponse;
import java.util.List;

/** Converts slow calls. */
final class SlowCallMessages {

    private SlowCallMessages() {}

    static SlowCallsResponse message(List<SlowCall> calls) {
        SlowCallsResponse.Builder message = SlowCallsResponse.newBuilder();
        calls.forEach(call -> message.addCalls(message(call)));
        return message.build();
    }

    private static SlowCallsResponse.Call message(SlowCall call) {
        SlowCallsResponse.Call.Builder message = SlowCallsResponse.Call.newBuilder()
                .setEndedMillis(call.ended().toEpochMilli())
                .setKind(call.kind())
                .setOutcome(call.outcome())
                .setTookNanos(call.took().toNanos())
                .setKeys(call.keys());
        call.keyHash().ifPresent(message::setKeyHash);
        call.replicas().forEach(replica -> message.addReplicas(replica.value()));
        call.requests()
                .forEach(request -> message.addRequests(SlowCallsResponse.Request.newBuilder()
                        .setNode(request.node().value())
                        .setKind(request.kind())
                        .setOutcome(request.outcome())
                        .setAfterNanos(request.after().toNanos())
                        .setTookNanos(request.took().toNanos())));
        return message.build();
    }
}
