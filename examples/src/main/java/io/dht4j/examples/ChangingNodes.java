package io.dht4j.examples;

// tag::agreed[]
import io.dht4j.Cluster;
import io.dht4j.MembershipStatus;
import io.dht4j.Node;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.options.Membership;
import io.dht4j.store.mvstore.MvStore;
import io.dht4j.store.mvstore.MvStoreOptions;
import io.dht4j.topology.microraft.MicroRaftLogs;
import io.dht4j.transport.http.HttpTransport;
import io.dht4j.transport.http.HttpTransportOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Nodes of a cluster whose nodes may change. */
public final class ChangingNodes {

    /** Forms a cluster of one node in new directories, which stay, and adds another node to it. */
    public static void main(String[] args) throws IOException {
        Path data = Files.createTempDirectory("nodes");
        Node n1 = Node.of("n1", "127.0.0.1:7001");
        Node n2 = Node.of("n2", "127.0.0.1:7002");
        try (Cluster first = start(founder(n1, List.of(n1), data.resolve("n1")), data.resolve("n1"))) {
            first.membership().add(n2.id()).toCompletableFuture().join();
            try (Cluster second = start(joiner(n2, List.of(n1), data.resolve("n2")), data.resolve("n2"))) {
                MembershipStatus status =
                        first.membership().status().toCompletableFuture().join();
                status.members().forEach(member -> System.out.println(member.name() + " " + member.state()));
                System.out.println("the nodes are now "
                        + second.topology().nodes().stream().map(Node::id).toList());
            }
        }
    }

    /** Forms a cluster with the other founders, which call this with the same list in the same order. */
    static Membership founder(Node self, List<Node> founders, Path directory) {
        return Membership.bootstrap(self.id(), founders, new MicroRaftLogs(directory.resolve("meta")));
    }

    /** Joins the cluster of any of {@code seeds}, which has admitted the name. */
    static Membership joiner(Node self, List<Node> seeds, Path directory) {
        return Membership.join(self, seeds, new MicroRaftLogs(directory.resolve("meta")));
    }

    /** Starts a node, and waits for the cluster. */
    static Cluster start(Membership membership, Path directory) {
        Node self = membership.self();
        return ClusterBuilder.of(membership)
                .transport(HttpTransport.create(HttpTransportOptions.at(self.host(), self.port())))
                .store(MvStore.open(directory, MvStoreOptions.defaults()))
                .start();
    }
}
// end::agreed[]
