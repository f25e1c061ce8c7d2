package io.dht4j.spring.boot;

import io.dht4j.Cluster;
import io.dht4j.Node;
import io.dht4j.Ranges;
import io.dht4j.Topology;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.Membership;
import io.dht4j.spi.MemoryBudget;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Store;
import io.dht4j.spi.StoreException;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.store.hints.FileHintLog;
import io.dht4j.store.memory.MemoryStore;
import io.dht4j.store.mvstore.Durability;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.store.mvstore.Rebuild;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts the node that the properties describe. */
final class NodeFactory {

    private static final Logger LOG = LoggerFactory.getLogger(NodeFactory.class);
    private static final long HINT_BYTES = 256L << 20;
    private static final String REPLICATION_FACTOR = "dht4j.replication-factor";

    private final DhtProperties properties;
    private final Observation observation;
    private final Stream<ClusterBuilderCustomizer> customizers;
    private final Optional<Path> directory;

    NodeFactory(DhtProperties properties, Observation observation, Stream<ClusterBuilderCustomizer> customizers) {
        this.properties = properties;
        this.observation = observation;
        this.customizers = customizers;
        this.directory = StartException.read(
                "dht4j.store.directory",
                () -> Optional.ofNullable(properties.store().directory())
                        .filter(text -> !text.isBlank())
                        .map(Path::of));
    }

    /**
     * Starts the node. Blocks until its transport accepts requests of peers, and it is a member.
     *
     * @throws StartException if a property is invalid, or the node cannot start
     */
    Cluster start() {
        DhtProperties.Membership membership = properties.membership();
        long ways = Stream.of(properties.nodes(), membership.bootstrap(), membership.join())
                .filter(nodes -> !nodes.isEmpty())
                .count();
        if (ways > 1) {
            throw StartException.of(
                    "dht4j.nodes or dht4j.membership",
                    "dht4j.nodes, dht4j.membership.bootstrap and dht4j.membership.join contradict each other: "
                            + "set one of them");
        }
        String ofMembers = "dht4j.membership.bootstrap or dht4j.membership.join";
        needs(membership.isSet(), "dht4j.membership.zone", membership.zone(), ofMembers);
        needs(membership.isSet(), "dht4j.membership.join-token", membership.joinToken(), ofMembers);
        needs(membership.isSet(), "dht4j.membership.address", membership.address(), ofMembers);
        needs(
                directory.isPresent(),
                "dht4j.store.durability",
                properties.store().durability() == Durability.FSYNC ? "fsync" : null,
                "dht4j.store.directory");
        needs(false, "dht4j.remote.token", properties.remote().token(), "dht4j.remote.addresses");
        return membership.isSet() ? member() : fixed();
    }

    /** Refuses a property that has no effect without another one. */
    private static void needs(boolean has, String property, @Nullable String value, String other) {
        if (!has && value != null) {
            throw StartException.of(property, property + " needs " + other);
        }
    }

    private Cluster fixed() {
        Topology topology = NodeAddresses.topology(properties);
        Node self = topology.node(NodeAddresses.self(properties)).orElseThrow();
        ClusterBuilder builder = ClusterBuilder.of(self.id(), topology);
        return start(builder, self, topology.size(), topology.size() > 1);
    }

    private Cluster member() {
        if (directory.isEmpty()) {
            throw StartException.of(
                    "dht4j.store.directory",
                    "dht4j.membership needs dht4j.store.directory: in memory each start would be another node");
        }
        Transports.requireModule(
                "dht4j.membership", "io.dht4j.topology.microraft.MicroRaftLogs", "dht-topology-microraft");
        Membership membership = AgreedNodes.of(properties, directory.get());
        boolean joins = membership.origin() == Membership.Origin.JOIN;
        int most = joins ? PartitionTable.MAX_DEPTH : membership.nodes().size();
        return start(ClusterBuilder.of(membership), membership.self(), most, true);
    }

    private Cluster start(ClusterBuilder builder, Node self, int mostReplicas, boolean hasPeers) {
        Integer replicationFactor = properties.replicationFactor();
        if (replicationFactor != null) {
            StartException.check(
                    REPLICATION_FACTOR,
                    () -> Ranges.requireReplicas(REPLICATION_FACTOR, replicationFactor, mostReplicas));
            builder.replicationFactor(replicationFactor);
        }
        builder.timeout(properties.calls().timeout());
        Transport transport = Transports.create(properties, NodeAddresses.listen(properties, self, hasPeers));
        observation.addTo(builder);
        customizers.forEach(customizer -> customizer.customize(builder));
        builder.transport(transport);
        Cluster started = starting(() -> {
            open(builder);
            return builder.start();
        });
        if (hasPeers) {
            LOG.info("node {} has started; the others call it at {}", self.id(), self.address());
        } else {
            LOG.info("node {} has started, alone", self.id());
        }
        return started;
    }

    private void open(ClusterBuilder builder) {
        MemoryBudget memory = MemoryBudget.ofHeap();
        if (directory.isEmpty()) {
            LOG.info("entries are kept in memory and are gone when the application ends; "
                    + "dht4j.store.directory keeps them on disk");
            builder.store(new MemoryStore(memory.memoryStoreBytes()));
            return;
        }
        Path path = directory.get();
        Store store = MvStore.open(
                path,
                MvStoreOptions.of(memory).withDurability(properties.store().durability()));
        try {
            builder.store(store)
                    .hints(FileHintLog.open(path.resolve("hints"), HINT_BYTES))
                    .refill(Rebuild.marker(path));
        } catch (RuntimeException e) {
            store.close();
            throw e;
        }
    }

    private static Cluster starting(Supplier<Cluster> start) {
        try {
            return start.get();
        } catch (StoreException | IllegalArgumentException | IllegalStateException e) {
            throw new StartException("the node does not start: " + e.getMessage(), action(e), e);
        }
    }

    private static String action(RuntimeException failure) {
        Throwable cause =
                failure instanceof IllegalStateException && failure.getCause() != null ? failure.getCause() : failure;
        if (cause instanceof TransportException) {
            return "End the process that uses the address, or choose another one: in the list of nodes of every "
                    + "instance, or by dht4j.transport.host and dht4j.transport.port if only the place where this "
                    + "node listens differs from the list.";
        }
        return cause instanceof StoreException
                ? "Make the directory usable, or choose another one by dht4j.store.directory. If its files are damaged "
                        + "and other nodes have replicas, rebuild it as docs/guide/rebuild-a-node.md says."
                : "Change the properties dht4j.*, or what the message names.";
    }
}
