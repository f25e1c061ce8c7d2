package io.dht4j.server.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.dht4j.CallOptions;
import io.dht4j.Cluster;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.MembershipStatus;
import io.dht4j.MembershipStatus.Member;
import io.dht4j.MembershipStatus.Move;
import io.dht4j.MembershipStatus.Phase;
import io.dht4j.MembershipStatus.State;
import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.ScanScope;
import io.dht4j.Value;
import io.dht4j.server.cli.CommandLineRun;
import io.dht4j.server.faults.RealWorkload.Door;
import io.dht4j.server.faults.RealWorkload.FailedCall;
import io.dht4j.simulator.history.Operation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three servers in processes of their own grow to six and shrink to three others while clients read and write, and add
 * to atomic counters, through all of them, and while servers are killed with {@code kill -9} in the middle of moves, or
 * paused. With the system property {@code dht.faults.verbose} the servers log what they do.
 */
@Tag("full")
class RealMovesTest {

    private static final int CLIENTS = 4;
    private static final Duration LONGEST_PAUSE = Duration.ofMillis(40);
    private static final List<String> OLD = AgreedProcesses.names(1, 3);
    private static final List<String> NEW = AgreedProcesses.names(4, 6);
    private static final List<String> ALL = AgreedProcesses.names(1, 6);

    private static final String SLOW_KIB = "64";
    private static final String FAST_KIB = "65536";

    private static final int KEYS_AT_A_TIME = 1_000;

    /** Writes that are acknowledged while one node is away, before it comes back. */
    private static final int PROGRESS = 20;

    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final CallOptions EVERY_REPLICA = CallOptions.defaults().withPolicy(3, 3);

    @TempDir
    private Path directory;

    private final RealWorkload workload = new RealWorkload(LONGEST_PAUSE, true);
    private final AtomicReference<List<Door>> doors = new AtomicReference<>(List.of());
    private final List<Outage> outages = new ArrayList<>();
    private AgreedProcesses nodes;

    /** A time in which a node was away, in moments of the history. */
    private record Outage(String node, int from, int until) {

        boolean covers(FailedCall call) {
            return call.node().equals(node) && from < call.ended() && call.begun() < until;
        }
    }

    @AfterEach
    void close() {
        if (nodes != null) {
            nodes.close();
        }
    }

    @Test
    void clusterGrowsAndShrinksWhileServersAreKilled() throws Exception {
        nodes = new AgreedProcesses(directory, OLD.size(), ALL.size());
        nodes.form();
        KnownEntries.write(nodes.client("n1"));
        OLD.forEach(this::open);
        Cluster learning = nodes.learningClient();
        SplittableRandom random = new SplittableRandom(32);
        for (int client = 0; client < CLIENTS; client++) {
            workload.startClient(doors::get, random.split());
        }

        grow();
        paused(ALL.get(random.nextInt(ALL.size())));
        rollingRestartMovesNothing();
        shrink();

        awaitProgress("when three nodes are left");
        workload.stopClients();
        say(workload.summary());
        assertThat(workload.failedCalls())
                .as("calls that failed although their node was not away")
                .filteredOn(call -> outages.stream().noneMatch(outage -> outage.covers(call)))
                .isEmpty();
        assertThat(workload.failedCalls())
                .as("calls that were under way when their nodes were stopped")
                .hasSizeLessThanOrEqualTo(CLIENTS * outages.size());
        settle();
        assertThat(workload.violations()).as("broken promises").isEmpty();
        assertThat(join(learning.get(KnownEntries.some().get(0))))
                .as("by addresses that were learned")
                .isPresent();
        assertThat(nodes.err().lines().filter(line -> line.startsWith("\tat ") || line.contains("Exception in thread")))
                .as("stack traces of servers")
                .isEmpty();
        assertThat(nodes.err().lines().filter(line -> line.contains("<topology>")))
                .as("elections and changes of voters, which are everyday life")
                .isEmpty();
    }

    private void grow() throws Exception {
        rebalance("--rate", SLOW_KIB);
        for (String node : NEW) {
            dht("nodes", "add", node);
            nodes.join(node);
            open(node);
        }
        rebalance("--resume");

        awaitCopy(move -> true);
        killed(leader(), "drives", nodes::restart);
        Move second = awaitCopy(move -> true);
        killed(second.to().value(), "is a target", nodes::restart);
        Move third = awaitCopy(move -> OLD.contains(move.from().value()));
        killed(third.from().value(), "is a source", this::replaced);

        assertThat(names("SERVING")).containsExactlyElementsOf(ALL);
        assertThat(status().members())
                .allSatisfy(member -> assertThat(member.partitions())
                        .isBetween(1, (int) Math.ceil(1.1 * AgreedProcesses.PARTITIONS * OLD.size() / ALL.size())));
    }

    /** A node that was killed comes back with an empty disk. */
    private void replaced(String node) throws Exception {
        nodes.loseDisk(node);
        await(node + " has been silent for long enough")
                .atMost(PATIENCE)
                .until(() -> nodes.dht(other(node), "nodes", "replace", node).exitCode() == 0);
        rebalance("--rate", FAST_KIB);
        nodes.join(node);
        rebalance("--resume");
        awaitMembers("all nodes serve", ALL);
    }

    private void rollingRestartMovesNothing() throws Exception {
        MembershipStatus before = status();
        Map<Key, List<NodeId>> places = places();
        for (String node : ALL) {
            restarted(node);
        }
        assertThat(places()).isEqualTo(places);
        MembershipStatus after = status();
        assertThat(after.moves()).isEmpty();
        assertThat(after.members().stream().map(Member::partitions))
                .containsExactlyElementsOf(
                        before.members().stream().map(Member::partitions).toList());
    }

    private void shrink() throws Exception {
        rebalance("--rate", SLOW_KIB);
        for (String node : OLD) {
            dht("nodes", "remove", node);
        }
        rebalance("--resume");
        Move move = awaitCopy(any -> true);
        killed(move.to().value(), "is a target", nodes::restart);
        awaitCopy(any -> true);
        killed(leader(), "drives", nodes::restart);
        // Clients go before their node is removed: from then on it refuses them.
        OLD.forEach(this::shut);
        rebalance("--rate", FAST_KIB);
        awaitMembers("three nodes are left", NEW);
        assertThat(names("SERVING")).containsExactlyElementsOf(NEW);
        for (String node : OLD) {
            assertThat(nodes.exitCode(node)).isZero();
            assertThat(nodes.err(node)).contains("has left");
        }
    }

    /** What happens to a node that is away until it serves again. */
    private interface Absence {
        void of(String node) throws Exception;
    }

    /** Kills a node, and lets clients call it again once it is back. */
    private void killed(String node, String role, Absence absence) throws Exception {
        say(node + ", which " + role + ", is killed");
        shut(node);
        int from = workload.moment();
        nodes.kill(node);
        awaitProgress("while " + node + " is away");
        absence.of(node);
        back(node, from);
    }

    /** Stops a process for a while: its connections stay, and say nothing. */
    private void paused(String node) throws Exception {
        say(node + " is paused");
        shut(node);
        int from = workload.moment();
        nodes.pause(node, true);
        awaitProgress("while " + node + " is paused");
        nodes.pause(node, false);
        back(node, from);
    }

    private void restarted(String node) throws Exception {
        say(node + " is restarted");
        shut(node);
        int from = workload.moment();
        assertThat(nodes.terminate(node)).isZero();
        nodes.restart(node);
        back(node, from);
    }

    /** Lets clients call a node again once it is read: no two nodes may be away at a time. */
    private void back(String node, int from) {
        await(node + " is read")
                .atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() -> assertThat(join(nodes.client(node).getAll(KnownEntries.some(), EVERY_REPLICA)))
                        .hasSize(KnownEntries.some().size()));
        outages.add(new Outage(node, from, workload.moment()));
        open(node);
    }

    private void open(String node) {
        Door door = new Door(node, nodes.client(node));
        doors.updateAndGet(open -> {
            List<Door> more = new ArrayList<>(open);
            more.add(door);
            return List.copyOf(more);
        });
    }

    private void shut(String node) {
        doors.updateAndGet(
                open -> open.stream().filter(door -> !door.node().equals(node)).toList());
    }

    /** A node that clients call. */
    private String anyNode() {
        return doors.get().get(doors.get().size() - 1).node();
    }

    private String other(String node) {
        return doors.get().stream()
                .map(Door::node)
                .filter(name -> !name.equals(node))
                .findFirst()
                .orElseThrow();
    }

    private MembershipStatus status() {
        return join(nodes.client(anyNode()).membership().status());
    }

    private String leader() {
        return awaited(
                "a node drives",
                () -> status().metadata().leader().map(NodeId::value).orElse(""),
                name -> !name.isEmpty());
    }

    private Move awaitCopy(Predicate<Move> which) {
        return awaited(
                        "partitions are copied",
                        () -> status().moves().stream()
                                .filter(move -> move.phase() == Phase.COPY)
                                .filter(which)
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
    }

    private void awaitMembers(String what, List<String> names) {
        awaited(
                what,
                this::status,
                status -> status.moves().isEmpty()
                        && status.members().stream().allMatch(member -> member.state() == State.SERVING)
                        && status.members().stream()
                                .map(member -> member.name().value())
                                .sorted()
                                .toList()
                                .equals(names));
    }

    private static <T> T awaited(String what, Callable<T> look, Predicate<T> isRight) {
        return await(what)
                .atMost(PATIENCE)
                .pollInterval(Duration.ofMillis(200))
                .ignoreExceptions()
                .until(look, isRight);
    }

    private void awaitProgress(String when) {
        int before = workload.acknowledged();
        await("acknowledged writes " + when).atMost(PATIENCE).until(() -> workload.acknowledged() >= before + PROGRESS);
    }

    private void rebalance(String... action) {
        List<String> all = new ArrayList<>(List.of("rebalance"));
        all.addAll(List.of(action));
        dht(all.toArray(String[]::new));
    }

    private void dht(String... args) {
        CommandLineRun run = nodes.dht(anyNode(), args);
        assertThat(run.exitCode()).as(run.err()).isZero();
    }

    /** The nodes that {@code ./dht nodes} shows in a state. */
    private List<String> names(String state) {
        return nodes.dht(anyNode(), "nodes")
                .out()
                .lines()
                .takeWhile(line -> !line.startsWith("moves"))
                .map(line -> line.substring("nodes".length()).strip().split(" +"))
                .filter(words -> words[1].equals(state))
                .map(words -> words[0])
                .sorted()
                .toList();
    }

    private Map<Key, List<NodeId>> places() {
        Map<Key, List<NodeId>> places = new HashMap<>();
        for (Key key : KnownEntries.some()) {
            places.put(
                    key,
                    join(nodes.client(anyNode()).locate(key)).replicas().stream()
                            .map(Node::id)
                            .toList());
        }
        return places;
    }

    /** Everything that was written is at the nodes that are left, as each of them reads it and as it holds it. */
    private void settle() {
        List<Key> keys = workload.keys();
        for (Door door : doors.get()) {
            for (int from = 0; from < keys.size(); from += KEYS_AT_A_TIME) {
                workload.getAll(door, keys.subList(from, Math.min(keys.size(), from + KEYS_AT_A_TIME)));
            }
            workload.scan(door, ScanScope.CLUSTER, Operation.Kind.READ, KeyRange.all(), keys);
            workload.readCounters(door);
            KnownEntries.requireAll(door.cluster());
        }
        await("replicas are equal once they were read")
                .atMost(PATIENCE)
                .ignoreExceptions()
                .untilAsserted(() -> {
                    for (int from = 0; from < keys.size(); from += KEYS_AT_A_TIME) {
                        List<Key> some = keys.subList(from, Math.min(keys.size(), from + KEYS_AT_A_TIME));
                        join(nodes.client(anyNode()).getAll(some, EVERY_REPLICA));
                    }
                    Map<Key, Value> first = doors.get().get(0).alone();
                    for (Door door : doors.get()) {
                        assertThat(door.alone()).as(door.node()).isEqualTo(first);
                    }
                });
    }

    private static <T> T join(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    @SuppressWarnings("SystemOut")
    private static void say(String what) {
        System.out.println("[moves] " + what);
    }
}
