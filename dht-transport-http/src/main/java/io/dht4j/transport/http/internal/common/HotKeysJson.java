package io.dht4j.transport.http.internal.common;

import io.dht4j.HotKeys;
import io.dht4j.Key;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.stream.Stream;

/** Writes hot keys as JSON. */
public final class HotKeysJson {

    /** An upper bound of the bytes of a count without its key. */
    private static final long BYTES_PER_COUNT = 128;
    /** As text each byte of a key may be an escape of six characters, and its base64 follows. */
    private static final long BYTES_PER_KEY_BYTE = 8;

    private HotKeysJson() {}

    /** Returns an upper bound of the size of the object as a text, in bytes. */
    public static long mostBytes(HotKeys hot) {
        return Stream.of(hot.reads(), hot.writes(), hot.bytes())
                .flatMap(ranking -> ranking.keys().stream())
                .mapToLong(count ->
                        BYTES_PER_COUNT + BYTES_PER_KEY_BYTE * count.key().length())
                .sum();
    }

    /** Returns an object of the three rankings. */
    public static JsonObject of(HotKeys hot) {
        return new JsonObject()
                .put("node", hot.node().value())
                .put("counted_ms", hot.counted().toMillis())
                .put("reads", ranking(hot.reads()))
                .put("writes", ranking(hot.writes()))
                .put("bytes", ranking(hot.bytes()));
    }

    private static JsonObject ranking(HotKeys.Ranking ranking) {
        JsonArray keys = new JsonArray();
        for (HotKeys.Count count : ranking.keys()) {
            JsonObject json = new JsonObject();
            Key key = count.key();
            byte[] octets = key.toByteArray();
            if (key.isText()) {
                json.put("key", new String(octets, StandardCharsets.UTF_8));
            }
            keys.add(json.put("key_base64", Base64.getEncoder().encodeToString(octets))
                    .put("at_least", count.atLeast())
                    .put("at_most", count.atMost()));
        }
        return new JsonObject().put("total", ranking.total()).put("keys", keys);
    }
}
