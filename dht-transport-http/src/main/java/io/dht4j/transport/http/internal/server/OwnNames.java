package io.dht4j.transport.http.internal.server;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names of this machine: its host name, and that with the domain that the resolver adds. Other answers of a
 * resolver are not reliable: the owner of an address may name any host, for example one whose pages would then be
 * admitted.
 */
final class OwnNames {

    private static final Logger LOG = LoggerFactory.getLogger(OwnNames.class);

    /** The time after which a resolver's answer is ignored. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private OwnNames() {}

    /**
     * Asks the system on a thread of its own, which ends with the answer.
     *
     * @return completes with the names in lower case when the system answers; with none after more than ten seconds
     */
    static CompletableFuture<Set<String>> ask() {
        CompletableFuture<Set<String>> names = new CompletableFuture<>();
        long begun = System.nanoTime();
        Runnable look = () -> {
            Set<String> found = look();
            boolean isInTime = System.nanoTime() - begun < PATIENCE.toNanos();
            names.complete(isInTime ? found : Set.of());
        };
        Thread asking = new Thread(look, "dht4j-http-own-names");
        asking.setDaemon(true);
        asking.start();
        return names;
    }

    private static Set<String> look() {
        try {
            InetAddress local = InetAddress.getLocalHost();
            return of(local.getHostName(), local.getCanonicalHostName());
        } catch (UnknownHostException | SecurityException e) {
            LOG.debug("this machine's own name is not known", e);
            return Set.of();
        }
    }

    /**
     * Returns which names are the machine's own.
     *
     * @param hostName the machine's own host name
     * @param canonicalName the resolver's name for its address
     */
    static Set<String> of(String hostName, String canonicalName) {
        String own = hostName.toLowerCase(Locale.ROOT);
        String full = canonicalName.toLowerCase(Locale.ROOT);
        if (own.isBlank()) {
            return Set.of();
        }
        return full.startsWith(own + ".") ? Set.of(own, full) : Set.of(own);
    }
}
