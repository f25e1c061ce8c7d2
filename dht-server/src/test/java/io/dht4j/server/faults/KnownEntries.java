package io.dht4j.server.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Value;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Entries that are written once, so that moves have something to copy. */
final class KnownEntries {

    /** So many that moves at the lowest rate last while several servers are killed and restarted. */
    private static final int ENTRIES = 8_000;

    private static final int ENTRY_BYTES = 1_000;
    private static final int AT_A_TIME = 200;

    private KnownEntries() {}

    private static Key key(int number) {
        return Key.of("known/" + number);
    }

    private static byte[] value(int number) {
        return Arrays.copyOf(Integer.toString(number).getBytes(StandardCharsets.UTF_8), ENTRY_BYTES);
    }

    /** Some of the keys, of nearly all partitions. */
    static List<Key> some() {
        return keys(0);
    }

    private static List<Key> keys(int from) {
        return IntStream.range(from, from + AT_A_TIME)
                .mapToObj(KnownEntries::key)
                .toList();
    }

    /** Writes all. Blocks. */
    static void write(Cluster cluster) {
        for (int from = 0; from < ENTRIES; from += AT_A_TIME) {
            Map<Key, byte[]> values = new HashMap<>();
            for (int number = from; number < from + AT_A_TIME; number++) {
                values.put(key(number), value(number));
            }
            cluster.putAll(values).toCompletableFuture().join();
        }
    }

    /** Requires that all are there. Blocks. */
    static void requireAll(Cluster cluster) {
        for (int from = 0; from < ENTRIES; from += AT_A_TIME) {
            Map<Key, Value> found =
                    cluster.getAll(keys(from)).toCompletableFuture().join();
            for (int number = from; number < from + AT_A_TIME; number++) {
                assertThat(found).containsKey(key(number));
                assertThat(found.get(key(number)).bytes()).isEqualTo(value(number));
            }
        }
    }
}
