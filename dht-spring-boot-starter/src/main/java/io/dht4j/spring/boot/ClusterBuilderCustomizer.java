package io.dht4j.spring.boot;

import io.dht4j.core.ClusterBuilder;

/**
 * Sets options of the node that no property sets, such as placement, hash function or repair. Each bean of this type is
 * called once, in the order of its {@code @Order}, after the properties were applied and on the thread that starts the
 * application. Not called for a {@linkplain io.dht4j.client.RemoteCluster remote client}.
 */
@FunctionalInterface
public interface ClusterBuilderCustomizer {

    /**
     * Changes the builder. Transport and store are set afterwards, from the properties; the customizer does not start
     * the builder.
     *
     * @param builder with the properties applied
     * @throws RuntimeException ends the start of the application
     */
    void customize(ClusterBuilder builder);
}
