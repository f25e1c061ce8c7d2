package io.dht4j.benchmarks.product;

import io.dht4j.AtomicMap;
import io.dht4j.Codec;
import io.dht4j.Node;
import io.dht4j.benchmarks.load.client.KeyNames;
import io.dht4j.benchmarks.load.client.Values;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.NodeStart;
import io.dht4j.core.options.Membership;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.ValueSizes;
import io.dht4j.store.mvstore.Durability;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.topology.microraft.MicroRaftLogs;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;

/** This library's atomic maps, over TCP and forced to the disk. */
final class AtomicMember implements Member {

    private final NodeStart node;
    private final CompletionStage<AtomicMap<String, byte[]>> map;
    private final int members;
    private final Values values;

    AtomicMember(MemberSpec spec) {
        List<Node> founders = IntStream.range(0, spec.ports().size())
                .mapToObj(
                        i -> Node.of("n" + (i + 1), "127.0.0.1:" + spec.ports().get(i)))
                .toList();
        Path directory = Path.of(spec.directory());
        this.node = ClusterBuilder.of(Membership.bootstrap(
                        founders.get(spec.index()).id(), founders, new MicroRaftLogs(directory.resolve("meta"))))
                .transport(TcpTransport.create(
                        TcpTransportOptions.at("127.0.0.1", spec.ports().get(spec.index()))))
                .store(MvStore.open(
                        directory.resolve("entries"), MvStoreOptions.defaults().withDurability(Durability.FSYNC)))
                .begin();
        this.map = node.cluster().thenApply(cluster -> cluster.atomicMap("kv", Codec.text(), Codec.bytes()));
        this.members = founders.size();
        this.values = new Values(spec.valueBytes());
    }

    @Override
    public CompletionStage<Outcome> get(long key) {
        return map.thenCompose(known -> known.get(KeyNames.of(key)))
                .thenApply(found -> found.isPresent() ? Outcome.DONE : Outcome.ABSENT);
    }

    @Override
    public CompletionStage<Outcome> put(long key, int valueBytes) {
        return map.thenCompose(known -> known.put(KeyNames.of(key), values.of(key, valueBytes)))
                .thenApply(version -> Outcome.DONE);
    }

    @Override
    public ValueSizes valueSizes() {
        return values.sizes();
    }

    @Override
    public Map<String, String> settings() {
        return Map.of(
                "transport", "TCP",
                "store", "MVStore, Durability.FSYNC",
                "put", "AtomicMap.put: acknowledged by a majority, which has forced it",
                "get", "AtomicMap.get: linearizable");
    }

    @Override
    public int clusterSize() {
        return map.toCompletableFuture().getNow(null) != null ? members : 1;
    }

    @Override
    public void close() {
        node.close();
    }
}
