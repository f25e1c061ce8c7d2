package io.dht4j.server.config;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.PrintableText;
import io.dht4j.Topology;
import io.dht4j.security.Plaintext;
import io.dht4j.spi.Endpoints;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.TextFiles;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The configuration of a server. Immutable. {@link #of} parses and validates it. A server checks it when it starts
 * against the machine: a free port, a writable directory, files with valid contents.
 *
 * @param id this node's name
 * @param membership how the node belongs to its cluster
 * @param addresses where this node listens
 * @param transport the transport between the nodes
 * @param security the encryption and the access rules
 * @param clients the access of clients to its public HTTP API
 * @param placement the placement of keys
 * @param store the store of this node's entries
 * @param calls the settings of requests
 */
public record ServerConfig(
        NodeId id,
        MembershipChoice membership,
        Addresses addresses,
        TransportChoice transport,
        SecurityConfig security,
        ClientConfig clients,
        PlacementChoice placement,
        StoreChoice store,
        CallChoice calls) {

    private static final Logger LOG = LoggerFactory.getLogger(ServerConfig.class);

    private static final int LOOKUP_SECONDS = 5;

    /** The largest configuration file. */
    private static final int MOST_BYTES = 1 << 20;

    /**
     * Reads settings from a properties file in UTF-8.
     *
     * @param file the file
     * @return its settings
     * @throws ConfigException if it cannot be read, or contains an unknown name or a name twice
     */
    public static Map<Setting, String> read(Path file) throws ConfigException {
        Set<String> twice = new TreeSet<>();
        // Properties.load puts each line.
        Properties properties = new Properties() {
            @Override
            public synchronized @Nullable Object put(Object name, Object text) {
                Object before = super.put(name, text);
                if (before != null) {
                    twice.add(name.toString());
                }
                return before;
            }
        };
        try {
            properties.load(new StringReader(TextFiles.read(file, MOST_BYTES)));
        } catch (NoSuchFileException e) {
            throw new ConfigException("--config: there is no file " + file);
        } catch (IOException | IllegalArgumentException e) {
            throw new ConfigException("--config: cannot read " + file + ": "
                    + (e instanceof IOException
                            ? FileFailure.inWords(e)
                            // The only one that Properties has, without a line.
                            : "a backslash with u begins no \\uXXXX; write a backslash itself as \\\\"));
        }
        if (!twice.isEmpty()) {
            throw new ConfigException("--config: " + file + " has more than one line for " + String.join(", ", twice)
                    + ": keep one of them");
        }
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        for (String name : properties.stringPropertyNames()) {
            Setting setting = Setting.byPropertyName(name).orElseThrow(() -> unknown(file, name));
            settings.put(
                    setting,
                    requirePrintable(file, name, properties.getProperty(name).strip()));
        }
        if (settings.containsKey(Setting.HASH_KEY)) {
            PrivateFiles.warnIfOpen("the key of the hash", file, LOG::warn);
        }
        return settings;
    }

    /** Refuses what a backslash of a Windows path makes of the letter after it. */
    private static String requirePrintable(Path file, String name, String text) throws ConfigException {
        if (text.chars().anyMatch(Character::isISOControl)) {
            throw new ConfigException("--config: " + file + ": " + name + " has a control character: "
                    + PrintableText.of(text) + "; write a backslash itself as \\\\");
        }
        return text;
    }

    private static ConfigException unknown(Path file, String name) {
        List<String> names =
                Arrays.stream(Setting.values()).map(Setting::propertyName).toList();
        return new ConfigException("--config: " + file + ": unknown name \"" + name + "\". "
                + SimilarWords.suggestion(name, names).orElseGet(() -> "The names are " + String.join(", ", names)));
    }

    /**
     * Creates a configuration; settings that are absent get their defaults. May look up the names of hosts.
     *
     * @param settings texts as they were given
     * @return the configuration
     * @throws ConfigException if a text is malformed or out of range, or settings contradict each other
     */
    public static ServerConfig of(Map<Setting, String> settings) throws ConfigException {
        SettingsReader given = new SettingsReader(settings);
        NodeId id = given.read(Setting.ID, NodeId::new);
        HostPort listen = given.read(Setting.LISTEN, HostPort::parse);
        MembershipChoice membership = MembershipChoice.of(given, id, listen);
        Topology topology = membership.nodes();
        Node self = topology.node(id).orElseThrow();
        refuseDoubledEndpoints(topology, membership.source());
        TransportChoice transport = TransportChoice.of(given);
        return new ServerConfig(
                id,
                membership,
                Addresses.of(given, listen, self, transport, membership.source()),
                transport,
                SecurityConfig.of(given, membership.hasPeers()),
                ClientConfig.of(given, transport),
                PlacementChoice.of(given, membership.mostReplicas()),
                StoreChoice.of(given, id, membership),
                CallChoice.of(given));
    }

    /**
     * Refuses nodes that share an address, before there is a data directory. A name that cannot be looked up now is
     * left to the start.
     */
    private static void refuseDoubledEndpoints(Topology topology, Setting source) throws ConfigException {
        List<Node> nodes = topology.nodes();
        try {
            Endpoints.requireDistinct(
                    nodes, Endpoints.lookUp(nodes).toCompletableFuture().get(LOOKUP_SECONDS, TimeUnit.SECONDS));
        } catch (IllegalArgumentException e) {
            throw new ConfigException(source.option() + ": " + e.getMessage());
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("the names of the peers' hosts cannot be looked up", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConfigException("interrupted while the names of the peers' hosts were looked up");
        }
    }

    /**
     * Refuses plaintext beyond loopback unless it is allowed. Where it is allowed, each listener logs a warning when it
     * starts. Blocks while it looks up hosts.
     *
     * @throws ConfigException if there would be such plaintext; names the option that allows it
     */
    public void refuseUnwantedPlaintext() throws ConfigException {
        if (security.tls().isPresent() || security.plaintextAllowed()) {
            return;
        }
        refusePlaintext("the public HTTP API", addresses.listen());
        if (!addresses.isShared()) {
            refusePlaintext("the transport between the nodes", addresses.peer());
        }
        if (addresses.grpc().isPresent()) {
            refusePlaintext("the public gRPC API", addresses.grpc().get());
        }
    }

    private static void refusePlaintext(String what, HostPort address) throws ConfigException {
        try {
            Plaintext.require(what, address.host(), false, Setting.ALLOW_PLAINTEXT.option(), warning -> {});
        } catch (IllegalArgumentException e) {
            throw new ConfigException(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Returns the nodes that the configuration names, this one among them.
     *
     * @return the peers, the founders, or this node alone if it joins
     */
    public Topology topology() {
        return membership.nodes();
    }
}
