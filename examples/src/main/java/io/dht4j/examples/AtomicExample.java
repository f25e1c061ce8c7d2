package io.dht4j.examples;

// tag::atomic[]
import io.dht4j.AtomicCounter;
import io.dht4j.AtomicMap;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Codec;
import io.dht4j.IndeterminateException;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.Versioned;
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
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Conditional writes and a counter. */
public final class AtomicExample {

    /** Handles a request twice, and ships an order, on a node in a new directory, which stays. */
    public static void main(String[] args) throws IOException {
        Path data = Files.createTempDirectory("atomic");
        Node self = Node.of("n1", "127.0.0.1:7001");
        Membership alone = Membership.bootstrap(self.id(), List.of(self), new MicroRaftLogs(data.resolve("meta")));
        try (Cluster cluster = ClusterBuilder.of(alone)
                .transport(HttpTransport.create(HttpTransportOptions.at(self.host(), self.port())))
                .store(MvStore.open(data, MvStoreOptions.defaults()))
                .start()) {
            System.out.println("handled: " + claim(cluster, "request 7") + ", again: " + claim(cluster, "request 7"));
            orders(cluster).put("order 17", "paid");
            System.out.println("shipped: " + ship(cluster, "order 17"));
            System.out.println("visits: " + countVisit(cluster));
        }
    }

    private static AtomicMap.Sync<String, String> orders(Cluster cluster) {
        return cluster.atomicMap("orders", Codec.text(), Codec.text()).sync();
    }

    /** Returns whether the caller is the one to handle a request: true for one of all callers, for a day. */
    static boolean claim(Cluster cluster, String request) {
        CallOptions forADay = CallOptions.defaults().withTimeToLive(Duration.ofDays(1));
        return cluster.atomicMap("requests", Codec.text(), Codec.text())
                .with(forADay)
                .sync()
                .putIfAbsent(request, "claimed")
                .isDone();
    }

    /** Marks a paid order as shipped, unless someone else changes it meanwhile. */
    static boolean ship(Cluster cluster, String order) {
        Optional<Versioned<String>> read = orders(cluster).get(order);
        return read.isPresent()
                && read.get().value().equals("paid")
                && orders(cluster)
                        .replace(order, read.get().version(), "shipped")
                        .isDone();
    }

    /** Counts a visit once, also if the first answer is lost. */
    static long countVisit(Cluster cluster) {
        AtomicCounter visits = cluster.atomicCounter("visits", Key.of("home"));
        try {
            return visits.sync().add(1);
        } catch (IndeterminateException e) {
            CallOptions repeated =
                    CallOptions.defaults().withRequestId(e.requestId().orElseThrow(() -> e));
            return visits.with(repeated).sync().add(1);
        }
    }
}
// end::atomic[]
