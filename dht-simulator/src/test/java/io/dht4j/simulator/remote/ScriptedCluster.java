package io.dht4j.simulator.remote;

import io.dht4j.DhtException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.MembershipChange;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.testkit.time.VirtualEnvironment;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** A remote cluster over a scripted API, in virtual time. */
final class ScriptedCluster {

    static final List<String> ADDRESSES = List.of("a:1", "b:1", "c:1");

    static final Key KEY = Key.of("key");

    static final RemoteOptions OPTIONS = RemoteOptions.defaults().withTimeout(Duration.ofSeconds(4));

    static final Duration BOUND = Duration.ofMinutes(1);

    /** Every method that reads. */
    static final Map<String, Function<RemoteCluster, CompletionStage<?>>> READS = reads();

    /** Every method that writes. */
    static final Map<String, Function<RemoteCluster, CompletionStage<?>>> WRITES = writes();

    final VirtualEnvironment env = VirtualEnvironment.seeded(1);

    final ScriptedApi api = new ScriptedApi(env);

    final RemoteCluster cluster = connect(OPTIONS);

    /** The addresses, beginning with the preferred one. */
    final List<String> order = orderFrom(api.askedOf("status").get(0));

    RemoteCluster connect(RemoteOptions options) {
        return env.await(RemoteCluster.connecting(api, ADDRESSES, options, env), BOUND);
    }

    private static List<String> orderFrom(String first) {
        int index = ADDRESSES.indexOf(first);
        return List.of(first, ADDRESSES.get((index + 1) % 3), ADDRESSES.get((index + 2) % 3));
    }

    <T> T await(CompletionStage<T> stage) {
        return env.await(stage, BOUND);
    }

    DhtException failureOf(CompletionStage<?> stage) {
        try {
            throw new AssertionError("expected a failure, not " + env.await(stage, BOUND));
        } catch (DhtException e) {
            return e;
        }
    }

    private static Map<String, Function<RemoteCluster, CompletionStage<?>>> reads() {
        Map<String, Function<RemoteCluster, CompletionStage<?>>> reads = new LinkedHashMap<>();
        reads.put("get", cluster -> cluster.get(KEY));
        reads.put("getAll", cluster -> cluster.getAll(List.of(KEY)));
        reads.put("scan", cluster -> cluster.scan(KeyRange.all()).next());
        reads.put("locate", cluster -> cluster.locate(KEY));
        reads.put("status", cluster -> cluster.operations().status());
        return reads;
    }

    private static Map<String, Function<RemoteCluster, CompletionStage<?>>> writes() {
        Map<String, Function<RemoteCluster, CompletionStage<?>>> writes = new LinkedHashMap<>();
        writes.put("put", cluster -> cluster.put(KEY, new byte[2]));
        writes.put("delete", cluster -> cluster.delete(KEY));
        writes.put("putAll", cluster -> cluster.putAll(Map.of(KEY, new byte[2])));
        writes.put("change", cluster -> cluster.membership().change(new MembershipChange.ReplicationFactor(3)));
        return writes;
    }
}
