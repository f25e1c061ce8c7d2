package io.dht4j.spring.boot;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.spring.cache.CacheKeyFormat;
import io.dht4j.spring.cache.CacheOptions;
import io.dht4j.spring.cache.DhtCacheManager;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.cache.CacheManager;
import org.springframework.cache.annotation.CachingConfigurer;
import org.springframework.cache.interceptor.CacheErrorHandler;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.env.Environment;
import org.springframework.util.function.SingletonSupplier;

/**
 * Provides Spring's caches over the cluster, if {@code dht4j.cache.names} or {@code dht4j.cache.caches} names one.
 * Backs off if the application has a {@link CacheManager}.
 */
@AutoConfiguration(
        after = DhtAutoConfiguration.class,
        beforeName = {
            "org.springframework.boot.autoconfigure.cache.CacheAutoConfiguration",
            "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration"
        })
@ConditionalOnSingleCandidate(Cluster.class)
@ConditionalOnMissingBean(CacheManager.class)
@Conditional(OnConfiguredCaches.class)
@EnableConfigurationProperties(DhtCacheProperties.class)
public final class DhtCacheAutoConfiguration {

    /** Creates the configuration. */
    public DhtCacheAutoConfiguration() {}

    /**
     * Creates the caches.
     *
     * @param cluster keeps the values
     * @param properties names and options
     * @param calls policy and timeout of the calls
     * @param keyFormat converts the keys
     * @param configurers one or none, whose handler decides about failed calls of methods with {@code sync = true}
     * @param beans has serializers, and the application's Jackson
     * @return the manager of the caches
     */
    @Bean
    public DhtCacheManager dhtCacheManager(
            Cluster cluster,
            DhtCacheProperties properties,
            ObjectProvider<CallOptions> calls,
            ObjectProvider<CacheKeyFormat> keyFormat,
            ObjectProvider<CachingConfigurer> configurers,
            ListableBeanFactory beans) {
        ValueSerializers serializers = new ValueSerializers(properties, beans);
        CallOptions options = calls.getIfUnique(CallOptions::defaults);
        CacheKeyFormat format = keyFormat.getIfUnique(CacheKeyFormat::standard);
        Map<String, CacheOptions> caches = new LinkedHashMap<>();
        properties.all().forEach((name, settings) -> {
            Boolean nullValues = settings.nullValues();
            caches.put(
                    name,
                    new CacheOptions(
                            serializers.of(name, settings),
                            format,
                            properties.keyPrefix(),
                            options,
                            Optional.ofNullable(settings.timeToLive())
                                    .or(() -> Optional.ofNullable(properties.timeToLive())),
                            nullValues == null ? properties.nullValues() : nullValues,
                            properties.loadTimeout(),
                            properties.clearTimeout(),
                            settings.atomic()));
        });
        // At the first failure, since the configurer may need the manager.
        return DhtCacheManager.of(
                cluster, caches, SingletonSupplier.ofNullable(() -> errorHandler(configurers.getIfUnique())));
    }

    /**
     * Refuses serializers and types that do not exist, before the node starts.
     *
     * @param environment has the properties
     * @return a check that runs before beans are made
     */
    @Bean
    static BeanFactoryPostProcessor dhtCachesCheck(Environment environment) {
        return beans -> {
            DhtCacheProperties properties =
                    Binder.get(environment).bindOrCreate("dht4j.cache", DhtCacheProperties.class);
            properties.all().forEach((name, settings) -> {
                ValueSerializers.check(properties, name, settings, beans);
                if (settings.atomic()) {
                    requireAgreedNodes(name, environment, beans);
                }
            });
        };
    }

    /** Refuses an atomic cache whose every call would fail. What nodes a remote cluster has, only its calls show. */
    private static void requireAgreedNodes(String cache, Environment environment, ListableBeanFactory beans) {
        DhtProperties node = Binder.get(environment).bindOrCreate("dht4j", DhtProperties.class);
        boolean isNode =
                beans.containsBean("dhtCluster") && node.remote().addresses().isEmpty();
        if (isNode && !node.membership().isSet()) {
            String property = "dht4j.cache.caches." + cache + ".atomic";
            throw StartException.of(
                    property,
                    property + " needs dht4j.membership.bootstrap or dht4j.membership.join, in place of dht4j.nodes");
        }
    }

    private static @Nullable CacheErrorHandler errorHandler(@Nullable CachingConfigurer configurer) {
        return configurer == null ? null : configurer.errorHandler();
    }
}
