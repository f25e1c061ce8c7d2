package io.dht4j.server.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.Version;
import io.dht4j.core.ClusterBuilder;
import io.dht4j.core.FailureDetectors;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.core.internal.admission.Admission;
import io.dht4j.core.internal.detection.Suspicion;
import io.dht4j.spi.Entry;
import io.dht4j.spi.Environment;
import io.dht4j.spi.Store;
import io.dht4j.testkit.network.FreePorts;
import io.dht4j.testkit.network.LoopbackNetwork;
import io.dht4j.testkit.store.ForwardingStore;
import io.dht4j.testkit.store.ModelStore;
import io.dht4j.testkit.time.ForwardingEnvironment;
import io.dht4j.testkit.time.VirtualEnvironment;
import io.dht4j.transport.tcp.TcpTransport;
import io.dht4j.transport.tcp.TcpTransportOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the core logs about callers and peers. */
class CoreLogTest {

    private static final Node N2 = Node.of("n2", "host2:1");

    private final VirtualEnvironment env = VirtualEnvironment.seeded(1);
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.dht4j.core");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void end() {
        logger.detachAppender(log);
        logger.setLevel(null);
    }

    private List<String> lines() {
        return log.list.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    /** Ends a call, to whose stage an action of so much time is attached. */
    private void call(Admission admission, Duration action) {
        CompletableFuture<String> work = new CompletableFuture<>();
        admission.run(null, () -> work).thenRun(() -> env.advance(action));
        work.complete("value");
    }

    private Suspicion suspicion() {
        return suspicion(env);
    }

    private static Suspicion suspicion(Environment environment) {
        return new Suspicion(
                new NodeId("n1"),
                environment,
                List.of(N2),
                FailureDetectors.silence(Duration.ofMillis(500)),
                node -> {});
    }

    @Test
    void actionsThatBlockAreLogged() {
        Admission admission = Admission.ofCalls(10, 10, env);
        call(admission, Duration.ofMillis(900));
        assertThat(lines()).isEmpty();

        call(admission, Duration.ofMillis(1100));
        call(admission, Duration.ofMillis(1100));

        assertThat(lines())
                .singleElement()
                .asString()
                .startsWith("WARN actions of a call's stage ran for 1100 ms on this thread")
                .contains("thenApplyAsync");
    }

    @Test
    void blockingActionsOfReadsAndWritesAreLogged() {
        LoopbackNetwork network = LoopbackNetwork.on(env);
        Topology topology = Topology.of(Node.of("n1", "host1:1"), Node.of("n2", "host2:1"), Node.of("n3", "host3:1"));
        AtomicLong blockedNanos = new AtomicLong();
        List<Cluster> nodes = topology.nodes().stream()
                .map(node -> ClusterBuilder.of(node.id(), topology)
                        .transport(network.transport(node.address()))
                        .store(new ModelStore())
                        .environment(new ForwardingEnvironment(env.newNode()) {
                            @Override
                            public long nanoTime() {
                                return super.nanoTime() + blockedNanos.get();
                            }
                        })
                        .drainTimeout(Duration.ZERO)
                        .start())
                .toList();
        try {
            Key key = Key.of("key");
            List<Supplier<CompletionStage<?>>> calls = List.of(
                    () -> nodes.get(0).put(key, new byte[1]),
                    () -> nodes.get(0).get(key, CallOptions.defaults().withPolicy(3, 3)),
                    () -> nodes.get(0).delete(key));
            env.advance(Duration.ofSeconds(10));
            for (int i = 0; i < calls.size(); i++) {
                calls.get(i)
                        .get()
                        .thenRun(() ->
                                blockedNanos.addAndGet(Duration.ofMillis(1100).toNanos()));
                env.advance(Duration.ofSeconds(11));
                assertThat(lines().stream().filter(line -> line.startsWith("WARN actions of a call's stage ran")))
                        .hasSize(i + 1);
            }
        } finally {
            nodes.forEach(Cluster::close);
        }
    }

    /** As a node behind a firewall, or an HTTP server: its calls end at their deadlines. */
    @Test
    void aPeerThatAcceptsConnectionsAndSaysNothingIsWarnedOfAndSuspected() throws IOException {
        int port = FreePorts.find();
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            Topology topology = Topology.of(
                    Node.of("n1", "127.0.0.1:" + port), Node.of("n2", "127.0.0.1:" + silent.getLocalPort()));
            try (Cluster node = ClusterBuilder.of(new NodeId("n1"), topology)
                    .transport(TcpTransport.create(TcpTransportOptions.at("127.0.0.1", port)))
                    .store(new ModelStore())
                    .start()) {
                Awaitility.await()
                        .atMost(Duration.ofSeconds(10))
                        .untilAsserted(() -> assertThat(lines())
                                .anyMatch(line -> line.startsWith("WARN n2 cannot be called: ")
                                        && line.contains(
                                                "no hello came; does a node of this transport listen there?")));
                assertThat(node.operations()
                                .status()
                                .toCompletableFuture()
                                .join()
                                .suspected())
                        .containsExactly(new NodeId("n2"));
            }
        }
    }

    @Test
    void aNodeThatHasNotAnsweredYetIsNotLoggedAsSuspected() {
        Suspicion suspicion = suspicion();
        suspicion.sent(N2.id(), env.nanoTime());
        env.advance(Duration.ofSeconds(2));
        assertThat(suspicion.suspects()).containsExactly(N2.id());
        assertThat(lines()).isEmpty();

        suspicion.heard(N2.id(), env.nanoTime());
        suspicion.sent(N2.id(), env.nanoTime());
        env.advance(Duration.ofSeconds(2));
        suspicion.heard(N2.id(), env.nanoTime());

        assertThat(lines()).containsExactly("INFO n2 does not answer: reads ask other nodes first", "INFO n2 answers");
        suspicion.close();
    }

    @Test
    void nodeThatAnswersAfterAPauseIsNotLoggedLater() {
        AtomicLong pausedNanos = new AtomicLong();
        Environment pausing = new ForwardingEnvironment(env) {
            @Override
            public long nanoTime() {
                return super.nanoTime() + pausedNanos.get();
            }
        };
        Suspicion suspicion = suspicion(pausing);
        suspicion.sent(N2.id(), pausing.nanoTime());
        env.advance(Duration.ofSeconds(2));
        pausedNanos.addAndGet(Duration.ofSeconds(1).toNanos());
        env.advance(Duration.ofMillis(100));
        assertThat(suspicion.suspects()).isEmpty();

        for (int i = 0; i < 120; i++) {
            suspicion.sent(N2.id(), pausing.nanoTime());
            suspicion.heard(N2.id(), pausing.nanoTime());
            env.advance(Duration.ofMillis(100));
        }

        assertThat(lines()).isEmpty();
        suspicion.close();
    }

    /** Starts a node on threads of its own, and closes it on this thread, which is interrupted. */
    private void closeInterrupted(Store store, Consumer<Cluster> before) {
        Node self = Node.of("n1", "host1:1");
        try (SystemEnvironment environment = SystemEnvironment.create("dht4j-n1")) {
            Cluster cluster = ClusterBuilder.of(self.id(), Topology.of(self))
                    .transport(LoopbackNetwork.on(environment).transport(self.address()))
                    .store(store)
                    .environment(environment)
                    .start();
            before.accept(cluster);
            Thread.currentThread().interrupt();
            cluster.close();
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void anInterruptedCloseOfAnIdleNodeIsNotLogged() {
        closeInterrupted(new ModelStore(), cluster -> {});
        assertThat(lines()).noneMatch(line -> line.contains("interrupted while tasks were running"));
    }

    @Test
    void aRequestThatAnInterruptedCloseLeavesIsNoFailureOfTheStore() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch closed = new CountDownLatch(1);
        Store slow = new ForwardingStore(new ModelStore()) {
            @Override
            public boolean isMemoryFast() {
                return false;
            }

            @Override
            public List<Version> applyAndGetVersions(List<Entry> entries) {
                begun.countDown();
                awaitEnd(closed);
                return super.applyAndGetVersions(entries);
            }

            @Override
            public void close() {
                super.close();
                closed.countDown();
            }
        };
        closeInterrupted(slow, cluster -> {
            cluster.put(Key.of("k"), new byte[1]);
            awaitEnd(begun);
        });
        assertThat(lines().stream().filter(line -> line.contains("interrupted while") || line.startsWith("ERROR")))
                .containsExactly("WARN node n1: interrupted while calls were under way; closing at once");
    }

    private static void awaitEnd(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aNodeThatNeverAnswersIsLoggedAfterTenSeconds() {
        Suspicion suspicion = suspicion();
        suspicion.sent(N2.id(), env.nanoTime());
        env.advance(Duration.ofSeconds(12));
        assertThat(lines()).containsExactly("INFO n2 does not answer: reads ask other nodes first");

        suspicion.heard(N2.id(), env.nanoTime());
        assertThat(lines()).last().isEqualTo("INFO n2 answers");
        suspicion.close();
    }
}
