package io.dht4j.spring.boot;

import io.dht4j.CallOptions;
import io.dht4j.Ranges;
import io.dht4j.spi.PartitionTable;
import io.dht4j.store.mvstore.Durability;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties {@code dht4j.*}. Immutable. White space around texts is stripped. Each group checks the ranges of its
 * properties; what concerns several groups is checked when the cluster is made.
 *
 * @param nodeId Name of this node: 1 to 64 letters, digits, '.', '_' and '-'. Needed where nodes, bootstrap or join
 *     list other nodes. Default: n1.
 * @param nodes All nodes of a cluster whose nodes are fixed, this one included, each as ID=HOST:PORT; the same on every
 *     node, in the same order. Without nodes, bootstrap and join, the node is alone.
 * @param replicationFactor Replicas of a key, 1 to the number of nodes; the same on every node. Default: 3, or the
 *     number of nodes if that is less.
 * @param readyTimeout How long the start waits until the cluster can be read, before a web server accepts requests, up
 *     to 1 hour; 0 for not at all.
 * @param membership How this node belongs to a cluster whose nodes may change.
 * @param calls Calls that set no options of their own.
 * @param transport The transport between the nodes.
 * @param tls The PEM files of TLS, of nodes and of remote clients.
 * @param store The store of the node's entries.
 * @param remote The cluster that this application calls without being a node.
 * @param health The health indicator.
 */
@ConfigurationProperties(DhtProperties.PREFIX)
public record DhtProperties(
        @Nullable String nodeId,
        @DefaultValue List<String> nodes,
        @Nullable Integer replicationFactor,
        @DefaultValue("10s") Duration readyTimeout,
        @DefaultValue Membership membership,
        @DefaultValue Calls calls,
        @DefaultValue Transport transport,
        @DefaultValue Tls tls,
        @DefaultValue Store store,
        @DefaultValue Remote remote,
        @DefaultValue Health health) {

    /** The prefix of all names. */
    public static final String PREFIX = "dht4j";

    private static final Duration MILLISECOND = Duration.ofMillis(1);
    private static final int MAX_PORT = 65_535;

    /** Checks the range and keeps a copy of the list. */
    public DhtProperties {
        require("dht4j.ready-timeout", readyTimeout, Duration.ZERO, Duration.ofHours(1));
        nodeId = stripped(nodeId);
        nodes = stripped(nodes);
    }

    /** Protocols between the nodes. */
    public enum TransportType {
        /** TCP without a library. */
        TCP,
        /** HTTP; needs {@code dht-transport-http}. */
        HTTP,
        /** gRPC; needs {@code dht-transport-grpc}. */
        GRPC
    }

    /** Public APIs of the nodes. */
    public enum RemoteApiType {
        /** HTTP; needs {@code dht-transport-http}. */
        HTTP,
        /** gRPC; needs {@code dht-transport-grpc-api}. */
        GRPC
    }

    /**
     * How this node belongs to a cluster whose nodes may change. Needs {@code dht-topology-microraft} and a store
     * directory.
     *
     * @param bootstrap The nodes that form the cluster, each as ID=HOST:PORT; the same on each of them, in the same
     *     order.
     * @param join Some nodes of the cluster to join, each as ID=HOST:PORT.
     * @param address With join, the address at which the other nodes reach this one, HOST:PORT.
     * @param joinToken The secret by which nodes join without an operator, 16 bytes or more; the same on every node.
     *     Without TLS it stops mistakes, not strangers.
     * @param zone This node's zone; replicas of a key stand in different zones as far as possible.
     * @param startTimeout How long the first start waits for other nodes, 1 second to 24 hours.
     */
    public record Membership(
            @DefaultValue List<String> bootstrap,
            @DefaultValue List<String> join,
            @Nullable String address,
            @Nullable String joinToken,
            @Nullable String zone,
            @DefaultValue("5m") Duration startTimeout) {

        /** Checks the range and keeps copies of the lists. */
        public Membership {
            require("dht4j.membership.start-timeout", startTimeout, Duration.ofSeconds(1), Duration.ofHours(24));
            bootstrap = stripped(bootstrap);
            join = stripped(join);
            address = stripped(address);
            joinToken = stripped(joinToken);
            zone = stripped(zone);
        }

        /** Returns whether the nodes of this node's cluster may change. */
        boolean isSet() {
            return !bootstrap.isEmpty() || !join.isEmpty();
        }

        /** Returns the nodes, without the token. */
        @Override
        public String toString() {
            return "Membership[bootstrap=" + bootstrap + ", join=" + join + "]";
        }
    }

    /**
     * Calls that set no options of their own. The bean of type {@code CallOptions} has all of them; calls without
     * options have the timeout, and a majority of the replicas as their policy.
     *
     * @param ack How many replicas must answer, 1 to calls.from. Default: a majority.
     * @param from How many replicas are asked, 1 to the number of nodes. Default: the replication factor.
     * @param timeout The time limit of a call, 1 millisecond to 1 hour.
     */
    public record Calls(
            @Nullable Integer ack,
            @Nullable Integer from,
            @DefaultValue("5s") Duration timeout) {

        /** Checks the ranges. */
        public Calls {
            require("dht4j.calls.timeout", timeout, MILLISECOND, CallOptions.MAX_TIMEOUT);
            if ((ack == null) != (from == null)) {
                throw StartException.of(
                        "dht4j.calls.ack or dht4j.calls.from",
                        "dht4j.calls.ack and dht4j.calls.from must be set together, or none of them");
            }
            if (ack != null && from != null) {
                require("dht4j.calls.from", from, 1, PartitionTable.MAX_DEPTH);
                require("dht4j.calls.ack", ack, 1, from);
            }
        }
    }

    /**
     * The transport between the nodes.
     *
     * @param type Protocol between the nodes; the same on every node.
     * @param host Name or address to bind. Default: the host of this node's address.
     * @param port Port to bind, 1 to 65535. Default: the port of this node's address; a node alone listens only if a
     *     port is set.
     * @param allowPlaintext Whether to listen beyond loopback without TLS.
     * @param publicHosts With the type http, names by which other processes reach this node, besides its own ones and
     *     addresses, without ports.
     */
    public record Transport(
            @DefaultValue("tcp") TransportType type,
            @Nullable String host,
            @Nullable Integer port,
            @DefaultValue("false") boolean allowPlaintext,
            @DefaultValue List<String> publicHosts) {

        /** Checks the range and keeps a copy of the list. */
        public Transport {
            host = stripped(host);
            publicHosts = stripped(publicHosts);
            if (type != TransportType.HTTP && !publicHosts.isEmpty()) {
                throw StartException.of(
                        "dht4j.transport.public-hosts", "dht4j.transport.public-hosts needs dht4j.transport.type http");
            }
            if (port != null) {
                require("dht4j.transport.port", port, 1, MAX_PORT);
            }
        }
    }

    /**
     * The PEM files of TLS.
     *
     * @param certificate Certificate of this node, which bears its name; not needed by a remote client.
     * @param key Private key of the certificate, PKCS #8, not encrypted.
     * @param authorities Authorities that sign the certificates of the nodes.
     */
    public record Tls(
            @Nullable String certificate,
            @Nullable String key,
            @Nullable String authorities) {

        /** Strips the names of the files. */
        public Tls {
            certificate = stripped(certificate);
            key = stripped(key);
            authorities = stripped(authorities);
        }
    }

    /**
     * The store of the node's entries.
     *
     * @param directory Directory of the entries on disk. Without one they are kept in memory, and are gone when the
     *     application ends.
     * @param durability What an acknowledged write survives on disk: the end of the process, or loss of power.
     */
    public record Store(
            @Nullable String directory, @DefaultValue("os") Durability durability) {

        /** Strips the name of the directory. */
        public Store {
            directory = stripped(directory);
        }
    }

    /**
     * The cluster that this application calls without being a node.
     *
     * @param addresses Nodes of the cluster, each as HOST:PORT of its public API. The application is then no node.
     * @param api Public API to call. Default: the one on the class path; HTTP if both are.
     * @param token Token of the client, as it stands in the nodes' files, 16 to 512 characters.
     * @param connectTimeout How long the start waits until one node has answered, 1 millisecond to 1 hour.
     * @param allowPlaintext Whether to call nodes beyond loopback without TLS.
     */
    public record Remote(
            @DefaultValue List<String> addresses,
            @Nullable RemoteApiType api,
            @Nullable String token,
            @DefaultValue("15s") Duration connectTimeout,
            @DefaultValue("false") boolean allowPlaintext) {

        /** Checks the range and keeps a copy of the list. */
        public Remote {
            require("dht4j.remote.connect-timeout", connectTimeout, MILLISECOND, CallOptions.MAX_TIMEOUT);
            addresses = stripped(addresses);
            token = stripped(token);
        }

        /** Returns the addresses, without the token. */
        @Override
        public String toString() {
            return "Remote[addresses=" + addresses + ", api=" + api + "]";
        }
    }

    /**
     * The health indicator.
     *
     * @param timeout How long a health check waits for the status, 1 millisecond to 1 minute.
     * @param quorum Whether the health is down while a partition has no quorum.
     */
    public record Health(
            @DefaultValue("1s") Duration timeout,
            @DefaultValue("false") boolean quorum) {

        /** Checks the range. */
        public Health {
            require("dht4j.health.timeout", timeout, MILLISECOND, Duration.ofMinutes(1));
        }
    }

    /** Returns a text without the white space around it, which files of properties keep at the end of a line. */
    static @Nullable String stripped(@Nullable String text) {
        return text == null ? null : text.strip();
    }

    static List<String> stripped(List<String> texts) {
        return texts.stream().map(String::strip).toList();
    }

    private static void require(String property, Duration value, Duration least, Duration most) {
        StartException.check(property, () -> Ranges.require(property, value, least, most));
    }

    private static void require(String property, int value, int least, int most) {
        StartException.check(property, () -> Ranges.require(property, value, least, most));
    }
}
