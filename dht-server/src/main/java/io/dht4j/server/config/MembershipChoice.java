package io.dht4j.server.config;

import io.dht4j.MembershipChange;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.options.Membership;
import io.dht4j.core.options.Membership.Attributes;
import io.dht4j.core.options.Membership.JoinToken;
import io.dht4j.server.discovery.AddressDiscovery;
import io.dht4j.server.discovery.FileDiscovery;
import io.dht4j.server.discovery.SrvDiscovery;
import io.dht4j.spi.Discovery;
import io.dht4j.spi.FileFailure;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.TextFiles;
import io.dht4j.spi.TopologyLogFactory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The way in which a node belongs to its cluster.
 *
 * @param mode whether the nodes may change
 * @param nodes the peers of a static cluster, the founders, or the node alone if it joins
 * @param seeds finds nodes of the cluster to join; empty if the node does not join
 * @param attributes the attributes of the node in the agreed state
 * @param joinToken the file of the join token; empty if there is none
 * @param claimsPartitions whether the number of partitions was given, and must be that of a cluster whose nodes may
 *     change
 */
public record MembershipChoice(
        Mode mode,
        Topology nodes,
        Optional<Discovery> seeds,
        Attributes attributes,
        Optional<Path> joinToken,
        boolean claimsPartitions) {

    private static final int MOST_TOKEN_BYTES = 4096;

    /** How a node belongs to its cluster. */
    public enum Mode {
        /** The nodes are fixed. */
        STATIC,
        /** The node forms a cluster with others. */
        BOOTSTRAP,
        /** The node joins a cluster. */
        JOIN
    }

    static MembershipChoice of(SettingsReader given, NodeId id, HostPort listen) throws ConfigException {
        Setting source = source(given);
        Topology nodes;
        Optional<Discovery> seeds = Optional.empty();
        if (source == Setting.JOIN) {
            nodes = given.readOr(
                    Setting.PEER_ADDRESS,
                    listen.toString(),
                    text -> Topology.of(new Node(id, HostPort.parse(text).toString(), 1)));
            seeds = Optional.of(given.readOr(Setting.JOIN, "", text -> seeds(text, id)));
        } else {
            given.refuse(Setting.PEER_ADDRESS, "without " + Setting.JOIN.option());
            nodes = given.readOr(source, id + "=" + listen, text -> new Topology(1, NodeList.parse(text)));
            requireAmong(id, nodes, source);
        }
        if (source == Setting.PEERS) {
            // Perhaps on the directory of a member, so the text does not describe the cluster.
            String reason = "without " + Setting.BOOTSTRAP.option() + " or " + Setting.JOIN.option()
                    + ", of which a node whose cluster may change gets one at each start";
            for (Setting setting : List.of(Setting.ZONE, Setting.WEIGHT, Setting.PUBLIC_ADDRESS, Setting.JOIN_TOKEN)) {
                given.refuse(setting, reason);
            }
        }
        return new MembershipChoice(
                switch (source) {
                    case BOOTSTRAP -> Mode.BOOTSTRAP;
                    case JOIN -> Mode.JOIN;
                    default -> Mode.STATIC;
                },
                nodes,
                seeds,
                attributes(
                        given,
                        listen,
                        HostPort.parse(nodes.node(id).orElseThrow().address())),
                joinToken(given),
                source != Setting.PEERS && given.has(Setting.PARTITIONS));
    }

    private static Setting source(SettingsReader given) throws ConfigException {
        List<Setting> sources = new ArrayList<>();
        for (Setting setting : List.of(Setting.PEERS, Setting.BOOTSTRAP, Setting.JOIN)) {
            if (given.has(setting)) {
                sources.add(setting);
            }
        }
        if (sources.size() > 1) {
            throw new ConfigException(sources.get(0).option() + " and "
                    + sources.get(1).option() + " contradict each other: give " + Setting.PEERS.option()
                    + " for a cluster whose nodes are fixed, " + Setting.BOOTSTRAP.option()
                    + " to form one whose nodes may change, or " + Setting.JOIN.option() + " to join one");
        }
        return sources.isEmpty() ? Setting.PEERS : sources.get(0);
    }

    private static void requireAmong(NodeId id, Topology nodes, Setting source) throws ConfigException {
        if (nodes.node(id).isEmpty()) {
            throw new ConfigException(Setting.ID.option() + " " + id + " is not among the " + source.option() + ": "
                    + String.join(
                            ", ",
                            nodes.nodes().stream()
                                    .map(node -> node.id().value())
                                    .toList()));
        }
    }

    private static Discovery seeds(String text, NodeId self) {
        if (text.startsWith("srv:")) {
            return new SrvDiscovery(requireName(text.substring("srv:".length())));
        }
        if (text.startsWith("dns:")) {
            HostPort named = HostPort.parse(text.substring("dns:".length()));
            return new AddressDiscovery(requireName(named.host()), named.port());
        }
        if (text.startsWith("file:")) {
            return new FileDiscovery(SettingsReader.path(text.substring("file:".length())), NodeList::parse);
        }
        // One list serves all nodes.
        List<Node> others = new Topology(1, NodeList.parse(text))
                .nodes().stream().filter(node -> !node.id().equals(self)).toList();
        if (others.isEmpty()) {
            throw new IllegalArgumentException(
                    "node " + self + " joins a cluster by other nodes, and the list has only itself");
        }
        return () -> others;
    }

    private static String requireName(String name) {
        if (!name.matches("[A-Za-z0-9._-]{1,255}")) {
            throw new IllegalArgumentException("expected a name in DNS, not \"" + name + "\"");
        }
        return name;
    }

    private static Attributes attributes(SettingsReader given, HostPort listen, HostPort peer) throws ConfigException {
        Optional<Integer> weight =
                given.has(Setting.WEIGHT) ? Optional.of(given.number(Setting.WEIGHT)) : Optional.empty();
        Optional<HostPort> grpc = given.find(Setting.GRPC_LISTEN, HostPort::parse);
        List<String> own = new ArrayList<>();
        own.add("http://" + reachable(listen, peer));
        grpc.ifPresent(address -> own.add("grpc://" + reachable(address, peer)));
        return new Attributes(
                given.find(Setting.ZONE, MembershipChange::requireZone),
                weight,
                Optional.of(given.readOr(
                        Setting.PUBLIC_ADDRESS,
                        String.join(",", own),
                        text -> MembershipChange.requirePublicAddresses(Arrays.stream(text.split(",", -1))
                                .map(String::strip)
                                .toList()))));
    }

    private static HostPort reachable(HostPort address, HostPort peer) {
        return address.isWildcard() ? new HostPort(peer.host(), address.port()) : address;
    }

    /** Returns whether the nodes of the cluster may change. */
    public boolean isAgreed() {
        return mode != Mode.STATIC;
    }

    /** Returns the setting that names the nodes. */
    Setting source() {
        return switch (mode) {
            case STATIC -> Setting.PEERS;
            case BOOTSTRAP -> Setting.BOOTSTRAP;
            case JOIN -> Setting.PEER_ADDRESS;
        };
    }

    /** Returns how many replicas a key may have, if known here. */
    int mostReplicas() {
        return mode == Mode.JOIN ? PartitionTable.MAX_DEPTH : nodes.size();
    }

    /** Returns whether there are other nodes, or may be later. */
    public boolean hasPeers() {
        return isAgreed() || nodes.size() > 1;
    }

    /**
     * Returns the options of a node in an agreed cluster.
     *
     * @param id the node
     * @param log opens its topology log
     * @return the options
     * @throws IllegalStateException if the cluster is static
     */
    public Membership options(NodeId id, TopologyLogFactory log) {
        Membership options = switch (mode) {
            case STATIC -> throw new IllegalStateException("the nodes of this cluster are fixed");
            case BOOTSTRAP -> Membership.bootstrap(id, nodes.nodes(), log);
            case JOIN -> Membership.join(nodes.node(id).orElseThrow(), seeds.orElseThrow(), log);
        };
        Membership attributed = options.withAttributes(attributes);
        return joinToken.isEmpty() ? attributed : attributed.withJoinToken(() -> token(joinToken.get()));
    }

    /** Reads the token once, so that an unusable file is refused before the start. */
    private static Optional<Path> joinToken(SettingsReader given) throws ConfigException {
        Optional<Path> file = given.find(Setting.JOIN_TOKEN, SettingsReader::path);
        if (file.isPresent()) {
            try {
                token(file.get());
            } catch (IllegalStateException e) {
                throw new ConfigException(String.valueOf(e.getMessage()));
            }
        }
        return file;
    }

    /**
     * Reads a join token.
     *
     * @param file its file
     * @return the token without white space around it
     * @throws IllegalStateException if it cannot be used; the message says why
     */
    private static byte[] token(Path file) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = TextFiles.withoutMark(in.readNBytes(MOST_TOKEN_BYTES + 1));
            byte[] token =
                    new String(bytes, StandardCharsets.ISO_8859_1).strip().getBytes(StandardCharsets.ISO_8859_1);
            if (bytes.length > MOST_TOKEN_BYTES || token.length < JoinToken.MIN_BYTES) {
                throw new IllegalStateException(Setting.JOIN_TOKEN.option() + ": " + file + " must have "
                        + JoinToken.MIN_BYTES + " to " + MOST_TOKEN_BYTES + " bytes");
            }
            return token;
        } catch (NoSuchFileException e) {
            throw new IllegalStateException(Setting.JOIN_TOKEN.option() + ": there is no file " + file, e);
        } catch (IOException e) {
            throw new IllegalStateException(
                    Setting.JOIN_TOKEN.option() + ": cannot read " + file + ": " + FileFailure.inWords(e), e);
        }
    }
}
