package io.dht4j.transport.http.internal.common;

import io.vertx.core.dns.AddressResolverOptions;
import java.util.concurrent.TimeUnit;

/**
 * How Vert.x looks up the names of hosts. It keeps an address for 30 seconds at most, as the JDK does by default, and
 * reads the hosts file again. By its own defaults it reads that file once, and keeps addresses for as long as the name
 * server says.
 */
public final class HostLookups {

    /** The longest use of an address, as that of the JDK. */
    private static final int ADDRESS_SECONDS = 30;

    private static final int HOSTS_FILE_SECONDS = 10;

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
}
