package io.dht4j.benchmarks.product;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import io.dht4j.benchmarks.load.client.KeyNames;
import io.dht4j.benchmarks.load.client.Values;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.ValueSizes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ForkJoinPool;

/**
 * Hazelcast: a map with synchronous backups and binary values, its default and its advice for whole values. Reads are
 * from the owner, or from backups too. {@code setAsync} avoids the old value of {@code putAsync}.
 */
final class HazelcastMember implements Member {

    private static final String MAP = "kv";

    private final HazelcastInstance instance;
    private final IMap<String, byte[]> map;
    private final Values values;
    private final int backups;
    private final boolean backupReads;

    HazelcastMember(MemberSpec spec) {
        backups = spec.copies() - 1;
        backupReads = spec.product() == Product.HAZELCAST_BACKUP_READS;
        Config config = new Config();
        config.setClusterName("bench-" + spec.ports().get(0));
        config.setProperty("hazelcast.logging.type", "slf4j");
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.shutdownhook.enabled", "false");
        NetworkConfig network = config.getNetworkConfig();
        network.setPort(spec.ports().get(spec.index())).setPortAutoIncrement(false);
        network.getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        JoinConfig join = network.getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true);
        spec.ports().forEach(port -> join.getTcpIpConfig().addMember("127.0.0.1:" + port));
        config.addMapConfig(new MapConfig(MAP)
                .setBackupCount(backups)
                .setAsyncBackupCount(0)
                .setReadBackupData(backupReads));
        instance = Hazelcast.newHazelcastInstance(config);
        map = instance.getMap(MAP);
        values = new Values(spec.valueBytes());
    }

    @Override
    public CompletionStage<Outcome> get(long key) {
        return map.getAsync(KeyNames.of(key)).thenApply(value -> value == null ? Outcome.ABSENT : Outcome.DONE);
    }

    @Override
    public CompletionStage<Outcome> put(long key, int valueBytes) {
        return map.setAsync(KeyNames.of(key), values.of(key, valueBytes)).thenApply(nothing -> Outcome.DONE);
    }

    @Override
    public ValueSizes valueSizes() {
        return values.sizes();
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("backup-count", String.valueOf(backups));
        settings.put("async-backup-count", "0");
        settings.put("in-memory-format", "BINARY");
        settings.put("join", "tcp-ip");
        settings.put("put", "IMap.setAsync");
        settings.put("threads of the common pool", String.valueOf(ForkJoinPool.getCommonPoolParallelism()));
        settings.put("read-backup-data", String.valueOf(backupReads));
        settings.put(
                "get", backupReads ? "IMap.getAsync, from the own copy" : "IMap.getAsync, from the partition's owner");
        return settings;
    }

    @Override
    public int clusterSize() {
        return instance.getCluster().getMembers().size();
    }

    @Override
    public void close() {
        instance.getLifecycleService().terminate();
    }
}
