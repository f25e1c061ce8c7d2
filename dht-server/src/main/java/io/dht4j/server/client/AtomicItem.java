package io.dht4j.server.client;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicMap;
import io.dht4j.Key;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;

/**
 * An entry of a snapshot that is one of an atomic map, in the form of {@link AtomicMap#KEYS}.
 *
 * @param map the name of the map
 * @param key the key in the map
 * @param counter the number, if it is a counter
 * @param value the value, if it is none
 */
record AtomicItem(String map, Key key, Optional<Long> counter, Optional<byte[]> value) {

    /** Returns the atomic entry of an item; empty if its key is a plain one. */
    static Optional<AtomicItem> of(Item item) {
        if (!AtomicMap.KEYS.contains(item.key())) {
            return Optional.empty();
        }
        byte[] whole = item.key().unsafeBytes();
        int nameAt = AtomicMap.KEYS.start().length() + 1;
        int keyAt = whole.length < nameAt ? whole.length : nameAt + Byte.toUnsignedInt(whole[nameAt - 1]);
        if (keyAt >= whole.length || item.value().length == 0) {
            throw new IllegalArgumentException("key " + item.key() + " is none of an atomic map");
        }
        byte[] content = Arrays.copyOfRange(item.value(), 1, item.value().length);
        boolean isCounter = item.value()[0] == '+';
        if (!isCounter && item.value()[0] != '=') {
            throw new IllegalArgumentException(
                    "the value of atomic key " + item.key() + " begins with neither = nor +");
        }
        return Optional.of(new AtomicItem(
                new String(whole, nameAt, keyAt - nameAt, StandardCharsets.UTF_8),
                Key.copyOfRange(whole, keyAt, whole.length),
                isCounter
                        ? Optional.of(Long.parseLong(new String(content, StandardCharsets.US_ASCII)))
                        : Optional.empty(),
                isCounter ? Optional.empty() : Optional.of(content)));
    }

    /** Writes it into a cluster, over what there is. A counter is removed first, and then counted up. */
    CompletableFuture<Boolean> write(DhtClient client, OptionalLong ttlMillis) {
        long ttl = ttlMillis.orElse(0);
        if (value.isPresent()) {
            return execute(client, AtomicChange.put(value.get(), ttl));
        }
        return execute(client, AtomicChange.remove())
                .thenCompose(removed -> execute(client, AtomicChange.add(counter.orElseThrow())))
                .thenCompose(counted -> ttl == 0
                        ? CompletableFuture.completedFuture(counted)
                        : execute(client, AtomicChange.touch(ttl)));
    }

    private CompletableFuture<Boolean> execute(DhtClient client, AtomicChange change) {
        return client.execute(map, key, change, Optional.empty()).thenApply(result -> true);
    }
}
