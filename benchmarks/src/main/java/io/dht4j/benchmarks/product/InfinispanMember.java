package io.dht4j.benchmarks.product;

import io.dht4j.benchmarks.load.client.KeyNames;
import io.dht4j.benchmarks.load.client.Values;
import io.dht4j.lab.internal.load.Outcome;
import io.dht4j.lab.workload.ValueSizes;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.infinispan.AdvancedCache;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfigurationBuilder;
import org.infinispan.context.Flag;
import org.infinispan.manager.DefaultCacheManager;

/**
 * Infinispan: a synchronous distributed cache over its stock TCP stack. {@code IGNORE_RETURN_VALUES}, its advice for
 * puts without the old value.
 */
final class InfinispanMember implements Member {

    private static final String CACHE = "kv";

    private final DefaultCacheManager manager;
    private final AdvancedCache<String, byte[]> reads;
    private final AdvancedCache<String, byte[]> writes;
    private final Values values;
    private final int owners;

    InfinispanMember(MemberSpec spec) {
        owners = spec.copies();
        // Read by the stock stack's configuration file, the only way to set them.
        System.setProperty("jgroups.bind.address", "127.0.0.1");
        System.setProperty("jgroups.bind.port", String.valueOf(spec.ports().get(spec.index())));
        GlobalConfigurationBuilder global = GlobalConfigurationBuilder.defaultClusteredBuilder();
        global.transport()
                .nodeName("member-" + spec.index())
                .clusterName("bench-" + spec.ports().get(0))
                .addProperty("configurationFile", "org/infinispan/configuration/default-jgroups-tcp.xml");
        manager = new DefaultCacheManager(global.build());
        manager.defineConfiguration(
                CACHE,
                new ConfigurationBuilder()
                        .clustering()
                        .cacheMode(CacheMode.DIST_SYNC)
                        .hash()
                        .numOwners(owners)
                        .build());
        reads = manager.<String, byte[]>getCache(CACHE).getAdvancedCache();
        writes = reads.withFlags(Flag.IGNORE_RETURN_VALUES);
        values = new Values(spec.valueBytes());
    }

    @Override
    public CompletionStage<Outcome> get(long key) {
        return reads.getAsync(KeyNames.of(key)).thenApply(value -> value == null ? Outcome.ABSENT : Outcome.DONE);
    }

    @Override
    public CompletionStage<Outcome> put(long key, int valueBytes) {
        // Infinispan keeps the array, so each key needs its own.
        return writes.putAsync(KeyNames.of(key), values.of(key, valueBytes).clone())
                .thenApply(old -> Outcome.DONE);
    }

    @Override
    public ValueSizes valueSizes() {
        return values.sizes();
    }

    @Override
    public Map<String, String> settings() {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("mode", "DIST_SYNC");
        settings.put("owners", String.valueOf(owners));
        settings.put("stack", "default-jgroups-tcp");
        settings.put("put", "putAsync, IGNORE_RETURN_VALUES");
        settings.put("get", "getAsync, from the nearest owner");
        return settings;
    }

    @Override
    public int clusterSize() {
        return manager.getMembers().size();
    }

    @Override
    public void close() {
        manager.stop();
    }
}
