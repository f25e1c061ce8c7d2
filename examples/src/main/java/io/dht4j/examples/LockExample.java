package io.dht4j.examples;

// tag::lock[]
import io.dht4j.Cluster;
import io.dht4j.DhtLock;
import io.dht4j.HeldLock;
import io.dht4j.Key;
import io.dht4j.LeaderElection;
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
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A lock and an election. */
public final class LockExample {

    private static final Duration LEASE = Duration.ofSeconds(10);

    /** Writes a report under a lock, and leads once, on a node in a new directory, which stays. */
    public static void main(String[] args) throws IOException, InterruptedException {
        Path data = Files.createTempDirectory("lock");
        Node self = Node.of("n1", "127.0.0.1:7001");
        Membership alone = Membership.bootstrap(self.id(), List.of(self), new MicroRaftLogs(data.resolve("meta")));
        ExecutorService terms = Executors.newSingleThreadExecutor();
        try (Cluster cluster = ClusterBuilder.of(alone)
                .transport(HttpTransport.create(HttpTransportOptions.at(self.host(), self.port())))
                .store(MvStore.open(data, MvStoreOptions.defaults()))
                .start()) {
            System.out.println("written: " + writeReport(cluster.lock("locks", Key.of("report"))));
            CountDownLatch led = new CountDownLatch(1);
            try (LeaderElection election = LeaderElection.start(
                    cluster.lock("locks", Key.of("leader")), LEASE, terms, held -> lead(held, led))) {
                led.await();
                System.out.println("leader: " + election.isLeader());
            }
        } finally {
            terms.shutdown();
        }
    }

    /** Writes a report if no other process writes it, and returns whether it was written. */
    static boolean writeReport(DhtLock lock) {
        Optional<HeldLock> taken = lock.sync().tryLock(Duration.ofSeconds(1), LEASE);
        taken.ifPresent(held -> {
            try (held) {
                // Each write has the token, so that its receiver can refuse a smaller one than it has seen.
                System.out.println("writes the report, with a token: " + (held.token() > 0));
            }
        });
        return taken.isPresent();
    }

    /** Works until another process may lead. */
    private static void lead(HeldLock held, CountDownLatch led) {
        led.countDown();
        held.ended().toCompletableFuture().join();
    }
}
// end::lock[]
