package io.dht4j.transport.http.internal.peer;

import io.vertx.core.dns.AddressResolverOptions;
import io.vertx.core.http.ClientResolverConfig;
import io.vertx.core.http.HttpClientConfig;
import io.vertx.core.http.HttpClientOptions;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Configures how Vert.x looks up the names of hosts. It keeps an address for 30 seconds at most, as the JDK does by
 * default, and reads the hosts file again. By its defaults it reads that file once, and keeps addresses for the time to
 * live of the name server.
 */
public final class HostLookups {

    /** The longest use of an address, as that of the JDK. */
    private static final int ADDRESS_SECONDS = 30;

    private static final int HOSTS_FILE_SECONDS = 10;

    /** How long a pool of connections also keeps an address, five minutes by default. */
    private static final Duration POOL_TIME = Duration.ofSeconds(10);

    /** The JDK's property for another hosts file. */
    private static final String HOSTS_FILE = "jdk.net.hosts.file";

    private HostLookups() {}

    /**
     * Returns the options of a Vert.x instance.
     *
     * @return new options
     */
    public static AddressResolverOptions options() {
        AddressResolverOptions options = new AddressResolverOptions()
                .setCacheMaxTimeToLive(ADDRESS_SECONDS)
                .setHostsRefreshPeriodUnit(TimeUnit.SECONDS)
                .setHostsRefreshPeriod(HOSTS_FILE_SECONDS);
        String file = System.getProperty(HOSTS_FILE);
        if (file != null && !file.isEmpty()) {
            options.setHostsPath(file);
        }
        return options;
    }

    /**
     * Returns the configuration of a client whose pools of connections look the name of a host up again. By default a
     * client in use keeps calling the old address for five minutes, also if no connection to it succeeds.
     *
     * @param options all other options
     * @return new configuration, which replaces the options of a builder
     */
    public static HttpClientConfig following(HttpClientOptions options) {
        return new HttpClientConfig(options)
                .setResolverConfig(new ClientResolverConfig()
                        .setKeepAliveTimeout(POOL_TIME)
                        .setMaxKeepAlive(POOL_TIME));
    }
}
