package io.dht4j.benchmarks.product;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.benchmarks.load.client.KeyNames;
import io.dht4j.benchmarks.load.client.Values;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.lab.CandidateLoader;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.ValueSizes;
import io.dht4j.spi.Store;
import io.dht4j.spi.Transport;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.transport.grpc.GrpcTransport;
import io.dht4j.transport.grpc.GrpcTransportOptions;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** This library. */
final class OwnMember implements Member {

    private final MemberSpec spec;
    private final Cluster cluster;
    private final CallOptions writes;
    private final CallOptions reads;
    private final Values values;

    OwnMember(MemberSpec spec) {
        this.spec = spec;
        Node[] nodes = new Node[spec.ports().size()];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = Node.of("n" + (i + 1), "127.0.0.1:" + spec.ports().get(i));
        }
        Store store =
                spec.durable() ? MvStore.open(Path.of(spec.directory()), MvStoreOptions.defaults()) : new MemoryStore();
        this.cluster = ClusterBuilder.of(nodes[spec.index()].id(), Topology.of(nodes))
                .transport(transport(spec, nodes[spec.index()].address()))
                .store(store)
                .start();
        this.writes = CallOptions.defaults().withPolicy(spec.copies(), spec.copies());
        this.reads = CallOptions.defaults().withPolicy(spec.readCopies(), spec.copies());
        this.values = new Values(spec.valueBytes());
    }

    private static Transport transport(MemberSpec spec, String address) {
        if (spec.transportClass().isEmpty()) {
            return GrpcTransport.create(
                    GrpcTransportOptions.at("127.0.0.1", spec.ports().get(spec.index())));
        }
        // Open until the process ends, as the transport may load a class at any time.
        CandidateLoader loader =
                CandidateLoader.of(spec.jars().stream().map(Path::of).toList());
        try {
            return loader.transport(spec.transportClass()).at(address);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public CompletionStage<Outcome> get(long key) {
        return cluster.get(Key.of(KeyNames.of(key)), reads)
                .thenApply(found -> found.isPresent() ? Outcome.DONE : Outcome.ABSENT);
    }

    @Override
    public CompletionStage<Outcome> put(long key, int valueBytes) {
        return cluster.put(Key.of(KeyNames.of(key)), values.of(key, valueBytes), writes)
                .thenApply(version -> Outcome.DONE);
    }

    @Override
    public ValueSizes valueSizes() {
        return values.sizes();
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("transport", spec.transportClass().isEmpty() ? "gRPC streams" : spec.transportClass());
        settings.put("store", spec.durable() ? "MVStore, Durability.OS" : "memory");
        settings.put("put", spec.copies() + "/" + spec.copies());
        settings.put("get", spec.readCopies() + "/" + spec.copies());
        return settings;
    }

    @Override
    public int clusterSize() {
        return cluster.topology().size();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
