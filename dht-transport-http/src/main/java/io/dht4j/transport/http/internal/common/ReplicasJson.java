package io.dht4j.transport.http.internal.common;

import io.dht4j.KeyReplica;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;

/** Writes the versions of a key's replicas as JSON. */
public final class ReplicasJson {

    private ReplicasJson() {}

    /** Returns an object of all replicas, in their order. */
    public static JsonObject of(List<KeyReplica> replicas) {
        JsonArray all = new JsonArray();
        for (KeyReplica replica : replicas) {
            JsonObject json = new JsonObject()
                    .put("node", replica.node().value())
                    .put("state", replica.state().name());
            replica.version()
                    .ifPresent(
                            version -> json.put("version", version.toString()).put("written_ms", version.millis()));
            replica.valueBytes().ifPresent(bytes -> json.put("value_bytes", bytes));
            replica.failure().ifPresent(why -> json.put("failure", why));
            all.add(json);
        }
        return new JsonObject().put("replicas", all);
    }
}
