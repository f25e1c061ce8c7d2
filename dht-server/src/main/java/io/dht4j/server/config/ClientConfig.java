package io.dht4j.server.config;

import io.dht4j.transport.http.HttpApiOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * The names of the node for HTTP clients, the bounds on connections, and the time that clients have to leave.
 *
 * @param publicHosts names and addresses that clients and peers use for the node, in addition to its own
 * @param maxConnections connections to a port, those of peers included
 * @param maxPerAddress of those from one address; empty for half of all
 * @param shutdownDelay how long the node continues to serve after a stop request
 */
public record ClientConfig(
        List<String> publicHosts, int maxConnections, OptionalInt maxPerAddress, Duration shutdownDelay) {

    /** Copies the names. */
    public ClientConfig {
        publicHosts = List.copyOf(publicHosts);
    }

    static ClientConfig of(SettingsReader given, TransportChoice transport) throws ConfigException {
        if (given.has(Setting.TOKENS) && !(transport instanceof TransportChoice.Http)) {
            given.refuse(
                    Setting.PUBLIC_HOST,
                    "with " + Setting.TOKENS.option() + " unless nodes call each other over HTTP: a client with a token"
                            + " may use any name");
        }
        return new ClientConfig(
                given.find(Setting.PUBLIC_HOST, ClientConfig::hosts).orElse(List.of()),
                given.number(Setting.MAX_CONNECTIONS),
                given.findNumber(Setting.MAX_CONNECTIONS_PER_ADDRESS),
                Duration.ofMillis(given.number(Setting.SHUTDOWN_DELAY)));
    }

    private static List<String> hosts(String text) {
        List<String> hosts = new ArrayList<>();
        for (String host : text.split(",", -1)) {
            // Checked here, so that a typing error is found before the start.
            HttpApiOptions.defaults().withPublicHost(host);
            hosts.add(host.strip());
        }
        return hosts;
    }
}
