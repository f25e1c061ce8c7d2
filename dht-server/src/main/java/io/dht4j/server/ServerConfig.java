package io.dht4j.server;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.spi.Endpoints;
import io.dht4j.spi.PrivateFiles;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How a server is set up. Immutable. {@link #of} makes it from texts and checks them; whether the machine can do what
 * it says (a free port, a writable directory, files with what they should hold), {@link ServerNode#start} finds out.
 *
 * @param id this node's name
 * @param topology every node with its peer address, this one among them
 * @param addresses where this node listens
 * @param transport how the nodes talk to each other
 * @param security who may talk to it
 * @param clients how clients reach its public HTTP API
 * @param placement where keys live
 * @param store what keeps this node's entries
 * @param calls how requests are carried out
 */
public record ServerConfig(
        NodeId id,
        Topology topology,
        Addresses addresses,
        TransportChoice transport,
        SecurityConfig security,
        ClientConfig clients,
        PlacementChoice placement,
        StoreChoice store,
        CallChoice calls) {

    private static final Logger LOG = LoggerFactory.getLogger(ServerConfig.class);

    private static final int LOOKUP_SECONDS = 5;

    /**
     * Reads settings from a properties file in UTF-8.
     *
     * @param file the file
     * @return what it sets
     * @throws ConfigException if it cannot be read or holds a name that is no setting
     */
    public static Map<Setting, String> read(Path file) throws ConfigException {
        Properties properties = new Properties();
        try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            properties.load(reader);
        } catch (NoSuchFileException e) {
            throw new ConfigException("--config: there is no file " + file);
        } catch (IOException | IllegalArgumentException e) {
            throw new ConfigException("--config: cannot read " + file + ": " + e.getMessage());
        }
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        for (String name : properties.stringPropertyNames()) {
            Setting setting = Setting.byPropertyName(name)
                    .orElseThrow(() -> new ConfigException("--config: " + file + ": unknown name \"" + name
                            + "\"; the names are "
                            + Arrays.stream(Setting.values())
                                    .map(Setting::propertyName)
                                    .collect(Collectors.joining(", "))));
            settings.put(setting, properties.getProperty(name).strip());
        }
        if (settings.containsKey(Setting.HASH_KEY)) {
            PrivateFiles.warnIfOpen("the key of the hash", file, LOG::warn);
        }
        return settings;
    }

    /**
     * Makes a configuration; what is not set gets its default. May look up the names of hosts.
     *
     * @param settings texts as they were given
     * @return the configuration
     * @throws ConfigException if a text is malformed or out of range, or settings contradict each other
     */
    public static ServerConfig of(Map<Setting, String> settings) throws ConfigException {
        SettingsReader given = new SettingsReader(settings);
        NodeId id = given.read(Setting.ID, NodeId::new);
        HostPort listen = given.read(Setting.LISTEN, HostPort::parse);
        Topology topology = given.readOr(Setting.PEERS, id + "=" + listen, text -> new Topology(1, peers(text)));
        Node self = topology.node(id)
                .orElseThrow(() -> new ConfigException(
                        Setting.ID.option() + " " + id + " is not among the " + Setting.PEERS.option() + ": "
                                + topology.nodes().stream()
                                        .map(node -> node.id().value())
                                        .collect(Collectors.joining(", "))));
        refuseDoubledEndpoints(topology);
        TransportChoice transport = TransportChoice.of(given);
        return new ServerConfig(
                id,
                topology,
                Addresses.of(given, listen, self, transport),
                transport,
                SecurityConfig.of(given, topology.size()),
                ClientConfig.of(given),
                PlacementChoice.of(given, topology.size()),
                StoreChoice.of(given, id, topology),
                CallChoice.of(given));
    }

    /** Before there is a data directory. A name that cannot be looked up now is left to the start. */
    private static void refuseDoubledEndpoints(Topology topology) throws ConfigException {
        List<Node> nodes = topology.nodes();
        try {
            Endpoints.requireDistinct(
                    nodes, Endpoints.lookUp(nodes).toCompletableFuture().get(LOOKUP_SECONDS, TimeUnit.SECONDS));
        } catch (IllegalArgumentException e) {
            throw new ConfigException(Setting.PEERS.option() + ": " + e.getMessage());
        } catch (TimeoutException | ExecutionException e) {
            LOG.debug("the names of the peers' hosts cannot be looked up", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ConfigException("interrupted while the names of the peers' hosts were looked up");
        }
    }

    private static List<Node> peers(String text) {
        List<Node> nodes = new ArrayList<>();
        for (String entry : text.split(",", -1)) {
            int equals = entry.indexOf('=');
            if (equals < 1) {
                throw new IllegalArgumentException(
                        "expected ID=HOST:PORT entries with commas between, not \"" + entry + "\"");
            }
            nodes.add(Node.of(
                    entry.substring(0, equals).strip(),
                    HostPort.parse(entry.substring(equals + 1).strip()).toString()));
        }
        return nodes;
    }
}
