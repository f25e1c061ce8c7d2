package io.dht4j.benchmarks.transports;

import io.dht4j.lab.internal.nodes.PutCluster;
import io.dht4j.testkit.network.FreePorts;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.infinispan.Cache;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.manager.DefaultCacheManager;

/**
 * Three embedded Infinispan members over TCP on loopback, with a synchronous distributed cache of three owners in
 * memory: the stock TCP stack and the defaults otherwise. A put is acknowledged when every owner has it.
 */
final class InfinispanNodes implements PutCluster {

    private static final int NODES = 3;

    private final List<DefaultCacheManager> managers = new ArrayList<>();
    private final List<Cache<String, byte[]>> members = new ArrayList<>();
    private final String[] keys;
    private final byte[] value;

    InfinispanNodes(String[] keys, byte[] value) {
        this.keys = keys;
        this.value = value;
        // Read by the stock stack's configuration file, the only way to set them.
        System.setProperty("jgroups.bind.address", "127.0.0.1");
        List<Integer> ports = FreePorts.find(NODES);
        for (int i = 0; i < NODES; i++) {
            System.setProperty("jgroups.bind.port", String.valueOf(ports.get(i)));
            GlobalConfigurationBuilder global = GlobalConfigurationBuilder.defaultClusteredBuilder();
            global.transport()
                    .nodeName("infinispan-" + i)
                    // Members find each other by multicast; this excludes those of another run.
                    .clusterName("bench-" + ports.get(0))
                    .initialClusterSize(i + 1)
                    .addProperty("configurationFile", "org/infinispan/configuration/default-jgroups-tcp.xml");
            DefaultCacheManager manager = new DefaultCacheManager(global.build());
            managers.add(manager);
            manager.defineConfiguration(
                    "kv",
                    new ConfigurationBuilder()
                            .clustering()
                            .cacheMode(CacheMode.DIST_SYNC)
                            .hash()
                            .numOwners(NODES)
                            .build());
        }
        for (DefaultCacheManager manager : managers) {
            members.add(manager.getCache("kv"));
        }
    }

    @Override
    public CompletionStage<?> put(int member, int key) {
        // A new array, since this library's put copies its argument too.
        return members.get(member).putAsync(keys[key], value.clone());
    }

    @Override
    public void close() {
        for (DefaultCacheManager manager : managers) {
            manager.stop();
        }
    }
}
