package io.dht4j.spring.cache;

import io.dht4j.AtomicMap;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Codec;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.KeyValue;
import io.dht4j.Versioned;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** The calls of a cache whose values are in an atomic map. */
final class AtomicCacheCalls extends CacheCalls {

    private static final String MAP = "cache";

    /** What scans show before a key of the map. */
    private static final byte[] HEAD = head();

    /** The longest key of the map. */
    static final int LONGEST_KEY = Key.MAX_LENGTH - HEAD.length;

    private final AtomicMap<byte[], byte[]> map;
    private final AtomicMap<byte[], byte[]> writes;

    AtomicCacheCalls(Cluster cluster, KeyRange all, CacheOptions options) {
        // Operations on atomic keys take no policy.
        super(cluster, shown(all), options.withCalls(timed(options.calls())));
        AtomicMap<byte[], byte[]> any = cluster.atomicMap(MAP, Codec.bytes(), Codec.bytes());
        this.map = any.with(timed(options.calls()));
        this.writes = any.with(
                options.timeToLive().map(timed(options.calls())::withTimeToLive).orElse(timed(options.calls())));
    }

    private static byte[] head() {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        head.writeBytes(AtomicMap.KEYS.start().toByteArray());
        head.write(MAP.length());
        head.writeBytes(MAP.getBytes(StandardCharsets.US_ASCII));
        return head.toByteArray();
    }

    private static KeyRange shown(KeyRange all) {
        return KeyRange.between(shown(all.start()), shown(all.end().orElseThrow()));
    }

    private static Key shown(Key key) {
        ByteArrayOutputStream shown = new ByteArrayOutputStream();
        shown.writeBytes(HEAD);
        shown.writeBytes(key.toByteArray());
        return Key.of(shown.toByteArray());
    }

    private static CallOptions timed(CallOptions calls) {
        return calls.timeout().map(CallOptions.defaults()::withTimeout).orElse(CallOptions.defaults());
    }

    @Override
    CompletionStage<Optional<byte[]>> get(Key key) {
        return map.get(key.toByteArray()).thenApply(found -> found.map(Versioned::value));
    }

    @Override
    CompletionStage<?> put(Key key, byte[] bytes) {
        return writes.put(key.toByteArray(), bytes);
    }

    @Override
    CompletionStage<Optional<byte[]>> putIfAbsent(Key key, byte[] bytes) {
        return writes.putIfAbsent(key.toByteArray(), bytes)
                .thenApply(put -> put.current().map(Versioned::value));
    }

    @Override
    CompletionStage<?> delete(Key key) {
        return map.remove(key.toByteArray());
    }

    @Override
    Key keyOf(KeyValue entry) {
        byte[] shown = entry.key().toByteArray();
        return Key.copyOfRange(shown, HEAD.length, shown.length);
    }
}
