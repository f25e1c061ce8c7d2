package io.dht4j.transport.http.internal.common;

import io.dht4j.SlowCall;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Writes slow calls as JSON. */
public final class SlowCallJson {

    private SlowCallJson() {}

    /** Returns an object of all calls, in their order. */
    public static JsonObject of(List<SlowCall> calls) {
        JsonArray all = new JsonArray();
        calls.forEach(call -> all.add(of(call)));
        return new JsonObject().put("slow_calls", all);
    }

    private static JsonObject of(SlowCall call) {
        JsonObject json = new JsonObject()
                .put("ended_ms", call.ended().toEpochMilli())
                .put("kind", call.kind())
                .put("outcome", call.outcome())
                .put("took_ms", call.took().toMillis())
                .put("keys", call.keys());
        call.keyHash().ifPresent(hash -> json.put("key_hash", String.format("%016x", hash)));
        JsonArray requests = new JsonArray();
        for (SlowCall.Request request : call.requests()) {
            requests.add(new JsonObject()
                    .put("node", request.node().value())
                    .put("kind", request.kind())
                    .put("outcome", request.outcome())
                    .put("after_ms", request.after().toMillis())
                    .put("took_ms", request.took().toMillis()));
        }
        return json.put("replicas", JsonFields.names(call.replicas())).put("requests", requests);
    }
}
