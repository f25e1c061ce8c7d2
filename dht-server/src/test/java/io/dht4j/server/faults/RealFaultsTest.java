package io.dht4j.server.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.client.RemoteCluster;
import io.dht4j.client.RemoteOptions;
import io.dht4j.server.config.TransportChoice.Protocol;
import io.dht4j.server.faults.FaultSchedule.Kind;
import io.dht4j.server.faults.FaultSchedule.Round;
import io.dht4j.server.faults.FaultyLink.Weather;
import io.dht4j.server.faults.RealWorkload.Door;
import io.dht4j.simulator.history.Operation;
import io.dht4j.spi.RemoteApi;
import io.dht4j.testkit.SearchEffort;
import io.dht4j.transport.grpc.api.GrpcRemote;
import io.dht4j.transport.grpc.api.GrpcRemoteOptions;
import io.dht4j.transport.http.HttpRemote;
import io.dht4j.transport.http.HttpRemoteOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Three servers in processes of their own, connected by links that fail, while clients read and write through all of
 * them. Processes are killed with {@code kill -9} or stopped, their clocks are set, links are cut, slow, or reset
 * connections, in an order that a seed decides; when all is healed, what the clients saw is judged. The seed decides
 * the faults and what clients ask for. When threads and processes run, nobody decides, so a seed that failed need not
 * fail again.
 *
 * <p>System properties make it longer: {@code dht.faults.rounds} (of faults, in each run), {@code dht.faults.seed} (of
 * the first run) and {@code dht.faults.runs} (over each transport, with seeds that follow each other).
 */
@Tag("search")
@Tag("full")
class RealFaultsTest {

    private static final int ROUNDS = Integer.getInteger("dht.faults.rounds", SearchEffort.isWhole() ? 6 : 3);
    private static final long SEED = Long.getLong("dht.faults.seed", 1);
    private static final int RUNS = Integer.getInteger("dht.faults.runs", 1);
    /** With {@code memory}, acknowledged writes are lost when all are killed: a way to see this test fail. */
    private static final String STORE = System.getProperty("dht.faults.store", "mvstore");

    private static final int CLIENTS = 6;
    private static final int KEYS_AT_A_TIME = 1_000;
    /** Writes that are acknowledged while one node is away, before it comes back. */
    private static final int PROGRESS = 20;

    private static final Duration CLIENT_TIMEOUT = Duration.ofSeconds(2);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @TempDir
    private Path directory;

    private final List<Cluster> clusters = new ArrayList<>();

    static LongStream seeds() {
        return LongStream.range(SEED, SEED + RUNS);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noPromiseIsBrokenOverHttpWhenProcessesAndLinksFail(long seed) throws Exception {
        suffer(Protocol.HTTP, seed);
    }

    @ParameterizedTest
    @Tag("full")
    @MethodSource("seeds")
    void noPromiseIsBrokenOverGrpcWhenProcessesAndLinksFail(long seed) throws Exception {
        suffer(Protocol.GRPC, seed);
    }

    @ParameterizedTest
    @Tag("full")
    @MethodSource("seeds")
    void noPromiseIsBrokenOverTcpWhenProcessesAndLinksFail(long seed) throws Exception {
        suffer(Protocol.TCP, seed);
    }

    private void suffer(Protocol protocol, long seed) throws Exception {
        String repeat = "mvn -pl dht-server -am verify -Pfull -Dtest=RealFaultsTest "
                + "-Dsurefire.failIfNoSpecifiedTests=false -Ddht.faults.seed="
                + seed + " -Ddht.faults.rounds=" + ROUNDS;
        say("seed " + seed + " over " + protocol + ", again with: " + repeat);
        SplittableRandom random = new SplittableRandom(seed);
        RealWorkload workload = new RealWorkload();
        try (RealCluster cluster =
                new RealCluster(directory, protocol, STORE, Duration.ofMillis(1_500), random.split())) {
            List<Door> doors = doors(cluster);
            for (int i = 0; i < CLIENTS; i++) {
                workload.startClient(() -> doors, random.split());
            }
            for (Round round : FaultSchedule.of(random.split(), ROUNDS)) {
                suffer(cluster, workload, round);
            }
            awaitProgress(workload, "when all is healed");
            workload.stopClients();
            say(workload.summary());
            settle(workload, doors);
            assertThat(workload.violations()).as("broken promises").isEmpty();
            assertThat(cluster.err()
                            .lines()
                            .filter(line -> line.startsWith("\tat ") || line.contains("Exception in thread")))
                    .as("stack traces of servers")
                    .isEmpty();
        } catch (Exception | AssertionError e) {
            say(e + System.lineSeparator() + "[faults] failed, again with: " + repeat);
            throw e;
        } finally {
            clusters.forEach(Cluster::close);
        }
    }

    /** Each node through each of its public APIs. */
    private List<Door> doors(RealCluster cluster) {
        List<Door> doors = new ArrayList<>();
        for (int node = 0; node < RealCluster.NODES; node++) {
            doors.add(door(node, "http", HttpRemote.create(HttpRemoteOptions.defaults()), cluster.httpAddress(node)));
            doors.add(door(node, "grpc", GrpcRemote.create(GrpcRemoteOptions.defaults()), cluster.grpcAddress(node)));
        }
        return doors;
    }

    private Door door(int node, String api, RemoteApi remote, String address) {
        Cluster cluster = RemoteCluster.connect(
                remote,
                List.of(address),
                RemoteOptions.defaults().withTimeout(CLIENT_TIMEOUT).withConnectTimeout(PATIENCE));
        clusters.add(cluster);
        return new Door(RealCluster.name(node) + "/" + api, cluster);
    }

    private static void suffer(RealCluster cluster, RealWorkload workload, Round round) throws Exception {
        say(round.toString());
        awaitProgress(workload, "before " + round);
        last(round.before());
        cluster.weather(round.weather());
        begin(cluster, round);
        last(round.lasting());
        if (round.kind() != Kind.KILL_ALL) {
            awaitProgress(workload, "during " + round);
        }
        end(cluster, round);
        cluster.weather(Weather.CALM);
    }

    private static void begin(RealCluster cluster, Round round) throws Exception {
        switch (round.kind()) {
            case KILL -> cluster.kill(round.node());
            case KILL_ALL -> {
                for (int node = 0; node < RealCluster.NODES; node++) {
                    cluster.kill(node);
                }
            }
            case STOP -> cluster.stop(round.node(), true);
            case CUT, CUT_ONE_WAY -> cut(cluster, round, true);
            case CLOCK -> setClock(cluster, round, Duration.ofSeconds(round.ahead()));
        }
    }

    private static void end(RealCluster cluster, Round round) throws Exception {
        switch (round.kind()) {
            case KILL -> cluster.restart(List.of(round.node()));
            case KILL_ALL ->
                cluster.restart(IntStream.range(0, RealCluster.NODES).boxed().toList());
            case STOP -> cluster.stop(round.node(), false);
            case CUT, CUT_ONE_WAY -> cut(cluster, round, false);
            case CLOCK -> setClock(cluster, round, Duration.ZERO);
        }
    }

    private static void setClock(RealCluster cluster, Round round, Duration ahead) throws Exception {
        if (cluster.hasClocks()) {
            cluster.setClock(round.node(), ahead);
        } else {
            say("no C compiler, or not Linux: the clocks stay right");
        }
    }

    private static void cut(RealCluster cluster, Round round, boolean isCut) {
        for (int other = 0; other < RealCluster.NODES; other++) {
            if (other == round.node()) {
                continue;
            }
            if (!isCut && round.reset()) {
                cluster.reset(round.node(), other);
            }
            if (round.kind() == Kind.CUT || round.inward()) {
                cluster.cut(other, round.node(), isCut);
            }
            if (round.kind() == Kind.CUT || !round.inward()) {
                cluster.cut(round.node(), other, isCut);
            }
        }
    }

    /** Lets a fault last, or passes time before one. Nothing is concluded from the time. */
    private static void last(int millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void awaitProgress(RealWorkload workload, String when) {
        int before = workload.acknowledged();
        await("acknowledged writes " + when).atMost(PATIENCE).until(() -> workload.acknowledged() >= before + PROGRESS);
    }

    /** When all is healed: all replicas are read together, and then each alone must show what it must, and the same. */
    private static void settle(RealWorkload workload, List<Door> doors) {
        List<Key> keys = workload.keys();
        CallOptions every = CallOptions.defaults().withPolicy(RealCluster.NODES, RealCluster.NODES);
        await("replicas are equal once they were read")
                .atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() -> {
                    for (Door door : doors) {
                        for (List<Key> part : parts(keys)) {
                            door.cluster()
                                    .getAll(part, every)
                                    .toCompletableFuture()
                                    .join();
                        }
                    }
                    Map<Key, Value> first = doors.get(0).alone();
                    for (Door door : doors) {
                        assertThat(door.alone()).as(door.node()).isEqualTo(first);
                    }
                });
        for (Door door : doors) {
            parts(keys).forEach(part -> workload.getAll(door, part));
            workload.scan(door, ScanScope.CLUSTER, Operation.Kind.READ, KeyRange.all(), keys);
            workload.scan(door, ScanScope.NODE, Operation.Kind.READ, KeyRange.all(), keys);
        }
    }

    private static List<List<Key>> parts(List<Key> keys) {
        return IntStream.iterate(0, from -> from < keys.size(), from -> from + KEYS_AT_A_TIME)
                .mapToObj(from -> keys.subList(from, Math.min(keys.size(), from + KEYS_AT_A_TIME)))
                .toList();
    }

    @SuppressWarnings("SystemOut")
    private static void say(String what) {
        System.out.println("[faults] " + what);
    }
}
