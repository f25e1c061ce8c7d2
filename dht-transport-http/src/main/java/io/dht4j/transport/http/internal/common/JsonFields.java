package io.dht4j.transport.http.internal.common;

import io.dht4j.NodeId;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Fields of JSON answers. Reading throws some {@link RuntimeException} if a field is missing or of another type. */
final class JsonFields {

    private JsonFields() {}

    static JsonArray names(List<NodeId> nodes) {
        JsonArray names = new JsonArray();
        nodes.forEach(node -> names.add(node.value()));
        return names;
    }

    /** Reads names of nodes; nodes of earlier versions may send none. */
    static List<NodeId> nodeIds(@Nullable JsonArray names) {
        List<NodeId> nodes = new ArrayList<>();
        if (names != null) {
            names.forEach(name -> nodes.add(new NodeId((String) name)));
        }
        return nodes;
    }

    static NodeId nodeId(JsonObject json, String field) {
        return new NodeId(text(json, field));
    }

    static String text(JsonObject json, String field) {
        return present(json.getString(field), field);
    }

    static long number(JsonObject json, String field) {
        return present(json.getLong(field), field);
    }

    static <T> T present(@Nullable T value, String field) {
        if (value == null) {
            throw new IllegalArgumentException(field + " is missing");
        }
        return value;
    }
}
