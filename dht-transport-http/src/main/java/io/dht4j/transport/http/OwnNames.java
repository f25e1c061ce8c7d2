package io.dht4j.transport.http;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The names by which this machine calls itself: its host name, and that with the domain that the resolver adds. What a
 * resolver says beyond that is not the machine's own claim: whoever answers for an address may name any host, such as
 * one whose pages would then be let in.
 */
final class OwnNames {

    private static final Logger LOG = LoggerFactory.getLogger(OwnNames.class);

    /** A resolver that takes longer is not heard. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private OwnNames() {}

    /**
     * Asks the system, on a thread of its own, which goes with the answer.
     *
     * @return completes with the names in small letters when the system tells them; with none if that takes it more
     *     than ten seconds
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
     * Which names are the machine's own.
     *
     * @param hostName as the machine calls itself
     * @param canonicalName as the resolver calls its address
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
