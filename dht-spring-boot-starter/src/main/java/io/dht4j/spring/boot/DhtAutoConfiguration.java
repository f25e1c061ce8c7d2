package io.dht4j.spring.boot;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Ranges;
import io.dht4j.spi.Observer;
import io.dht4j.spi.Tracer;
import io.dht4j.spring.cache.DhtCacheManager;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.cache.CacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.core.NativeDetector;
import org.springframework.core.env.Environment;

/**
 * Provides a {@link Cluster}: a node in this application, or a client if {@code dht4j.remote.addresses} is set. Backs
 * off if the application has a bean of that type.
 *
 * <p>The node starts while the beans are created. A web server accepts requests when the cluster is
 * {@linkplain Cluster#ready() ready}. The node closes when the beans are destroyed, so after the web server has ended,
 * and with graceful shutdown has completed the requests in flight. Beans that use the cluster are destroyed before it.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(prefix = DhtProperties.PREFIX, name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(DhtProperties.class)
public final class DhtAutoConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(DhtAutoConfiguration.class);

    /** The managers to which Spring Boot falls back. */
    private static final Set<String> LOCAL_CACHES = Set.of(
            "org.springframework.cache.concurrent.ConcurrentMapCacheManager",
            "org.springframework.cache.caffeine.CaffeineCacheManager");

    private static final String FROM = "dht4j.calls.from";

    /** Creates the configuration. */
    public DhtAutoConfiguration() {}

    /**
     * Starts the node, or connects.
     *
     * @param properties the properties of the node or client
     * @param customizers set further options of the node
     * @param observers one or none, which receives the outcomes of calls
     * @param tracers one or none, which records spans
     * @param closer closes the cluster
     * @return the cluster
     */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    Cluster dhtCluster(
            DhtProperties properties,
            ObjectProvider<ClusterBuilderCustomizer> customizers,
            ObjectProvider<Observer> observers,
            ObjectProvider<Tracer> tracers,
            ClusterCloser closer) {
        Observation observation = new Observation(
                Optional.ofNullable(observers.getIfAvailable()), Optional.ofNullable(tracers.getIfAvailable()));
        return closer.closing(
                properties.remote().addresses().isEmpty()
                        ? new NodeFactory(properties, observation, customizers.orderedStream()).start()
                        : RemoteFactory.connect(properties, observation));
    }

    /**
     * Closes the node or client of this configuration on any close of the context.
     *
     * @return an object without a cluster to close
     */
    @Bean
    ClusterCloser dhtClusterCloser() {
        return new ClusterCloser();
    }

    /**
     * Lets a web server start only when the cluster can be read, or after {@code dht4j.ready-timeout}.
     *
     * @param clusters that of this configuration, or those of the application
     * @param properties the longest wait
     * @return a part of the start
     */
    @Bean
    ReadyCluster dhtReadyCluster(ObjectProvider<Cluster> clusters, DhtProperties properties) {
        return new ReadyCluster(clusters.stream().toList(), properties.readyTimeout());
    }

    /**
     * Returns the options of {@code dht4j.calls}, for calls that shall have them.
     *
     * @param properties policy and timeout
     * @return options
     */
    @Bean
    @ConditionalOnMissingBean
    public CallOptions dhtCallOptions(DhtProperties properties) {
        DhtProperties.Calls calls = properties.calls();
        CallOptions options = CallOptions.defaults().withTimeout(calls.timeout());
        Integer ack = calls.ack();
        Integer from = calls.from();
        if (ack == null || from == null) {
            return options;
        }
        if (!properties.nodes().isEmpty()) {
            int nodes = properties.nodes().size();
            StartException.check(FROM, () -> Ranges.requireReplicas(FROM, from, nodes));
        }
        return options.withPolicy(ack, from);
    }

    /**
     * Refuses properties of the prefix that do not exist, before the node starts. A native image does not show the
     * components of records, and is not checked.
     *
     * @param environment has the properties
     * @return a check that runs before beans are made
     */
    @Bean
    static BeanFactoryPostProcessor dhtPropertiesCheck(Environment environment) {
        return beans -> {
            if (!NativeDetector.inNativeImage()) {
                UnknownProperties.refuse(environment, beans);
            }
        };
    }

    /**
     * Logs that Spring's caches are not in the cluster. Without names of caches Spring Boot falls back to caches of the
     * instance, by Caffeine if it is on the class path, as it is with a store.
     *
     * @param beans has the manager of Spring Boot, which is not created by this
     * @return a part of the start
     */
    @Bean
    static SmartInitializingSingleton dhtCachesNote(ListableBeanFactory beans) {
        return () -> {
            for (String manager : beans.getBeanNamesForType(CacheManager.class, true, false)) {
                Class<?> type = beans.getType(manager, false);
                if (type != null && LOCAL_CACHES.contains(type.getName())) {
                    LOG.info("the caches of Spring are local to this instance: the cluster keeps the caches that are"
                            + " listed in dht4j.cache.caches or dht4j.cache.names");
                }
            }
        };
    }

    /**
     * Lets the node start with the application, and web servers wait for it, even if other beans are made when they are
     * first used. Caches are made then too, since they keep the context class loader of the thread that makes them.
     *
     * @return a filter
     */
    @Bean
    static LazyInitializationExcludeFilter dhtStartsWithTheApplication() {
        return LazyInitializationExcludeFilter.forBeanTypes(Cluster.class, ReadyCluster.class, DhtCacheManager.class);
    }
}
