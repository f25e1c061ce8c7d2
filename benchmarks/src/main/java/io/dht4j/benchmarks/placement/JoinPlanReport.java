package io.dht4j.benchmarks.placement;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.core.HashFunctions;
import io.dht4j.core.Placements;
import io.dht4j.core.internal.membership.codec.StateCodec;
import io.dht4j.core.internal.membership.command.Command.Admit;
import io.dht4j.core.internal.membership.command.Command.Form;
import io.dht4j.core.internal.membership.command.Command.Founder;
import io.dht4j.core.internal.membership.command.Command.Join;
import io.dht4j.core.internal.membership.command.CommandResult;
import io.dht4j.core.internal.membership.command.StateMachine;
import io.dht4j.core.internal.membership.plan.Planner;
import io.dht4j.core.internal.membership.state.AgreedSettings;
import io.dht4j.core.internal.membership.state.ClusterState;
import io.dht4j.core.internal.membership.state.MemberAttributes;
import io.dht4j.core.internal.membership.state.SlotTable;
import io.dht4j.core.internal.view.ClusterView;
import io.dht4j.core.internal.view.Row;
import io.dht4j.server.cli.console.Console;
import io.dht4j.spi.Placement;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Reports what the join of one node costs in a cluster of many: the time of planning, the size of the agreed state on
 * the wire, and the memory of its table, as a Markdown table. The nodes are entries of the state, without processes.
 */
@Command(
        name = "join-plan-report",
        mixinStandardHelpOptions = true,
        description = "Time of planning one join, and size of the agreed state, as a Markdown table.")
public final class JoinPlanReport implements Callable<Integer> {

    private static final UUID CLUSTER = UUID.nameUUIDFromBytes(new byte[] {1});
    private static final int MAX_VALUE_BYTES = 16 << 20;

    /** Copies of a view whose memory is measured together, so that other garbage hardly counts. */
    private static final int VIEWS = 16;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--nodes",
            split = ",",
            defaultValue = "10,100,1000",
            description = "nodes before the join, with commas between (default: ${DEFAULT-VALUE})")
    private List<Integer> nodes = List.of();

    @Option(names = "--partitions", defaultValue = "16384", description = "partitions (default: ${DEFAULT-VALUE})")
    private int partitions;

    @Option(
            names = "--replicas",
            split = ",",
            defaultValue = "3",
            description = "replicas of each partition, with commas between (default: ${DEFAULT-VALUE})")
    private List<Integer> replicas = List.of();

    @Option(
            names = "--repetitions",
            defaultValue = "15",
            description = "plans that are measured, after as many that are not (default: ${DEFAULT-VALUE})")
    private int repetitions;

    /** Creates the command; for picocli. */
    public JoinPlanReport() {}

    /**
     * Runs the command.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.exit(Console.ofProcess().execute(new CommandLine(new JoinPlanReport()), args));
    }

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        out.println("| nodes | partitions | replicas | plan of one join, ms | moves | state on the wire, KB | table in "
                + "memory, KB |");
        out.println("|---:|---:|---:|---:|---:|---:|---:|");
        for (int count : nodes) {
            for (int width : replicas) {
                out.println(line(count, width));
                out.flush();
            }
        }
        return 0;
    }

    private String line(int count, int width) {
        Placement placement = Placements.rendezvous();
        ClusterState state = joined(formed(count, width, placement), count + 1);
        double[] millis = new double[repetitions];
        long moves = 0;
        for (int i = -repetitions; i < repetitions; i++) {
            long began = System.nanoTime();
            moves = Planner.plan(state, placement).moves();
            if (i >= 0) {
                millis[i] = (System.nanoTime() - began) / 1e6;
            }
        }
        Arrays.sort(millis);
        return String.format(
                Locale.ROOT,
                "| %,d | %,d | %d | %.0f (%.0f–%.0f) | %,d | %.0f | %.0f |",
                count,
                partitions,
                width,
                millis[repetitions / 2],
                millis[0],
                millis[repetitions - 1],
                moves,
                StateCodec.encode(state).length / 1e3,
                tableBytes(state) / 1e3);
    }

    private ClusterState formed(int count, int width, Placement placement) {
        List<Founder> founders = new ArrayList<>();
        List<Node> all = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            founders.add(new Founder(name(number), incarnation(number), attributes(number)));
            all.add(node(number));
        }
        Map<NodeId, Integer> numbers = new HashMap<>();
        founders.forEach(founder -> numbers.put(founder.name(), numbers.size() + 1));
        SlotTable slots = SlotTable.of(
                placement.assign(new Topology(1, all), partitions), width, node -> numbers.getOrDefault(node.id(), 0));
        AgreedSettings settings = new AgreedSettings(partitions, placement.name(), "xxh3", 0, width, MAX_VALUE_BYTES);
        return accepted(Optional.empty(), new Form(CLUSTER, settings, founders, slots, List.of(1)));
    }

    private static ClusterState joined(ClusterState state, int number) {
        ClusterState admitted = accepted(Optional.of(state), new Admit(state.epoch(), name(number)));
        return accepted(
                Optional.of(admitted),
                new Join(admitted.epoch(), name(number), incarnation(number), attributes(number), Map.of()));
    }

    private static ClusterState accepted(
            Optional<ClusterState> state, io.dht4j.core.internal.membership.command.Command command) {
        CommandResult result = StateMachine.apply(state, command);
        if (result instanceof CommandResult.Accepted accepted) {
            return accepted.state();
        }
        throw new IllegalStateException(command + " was refused: " + result);
    }

    /** Returns the memory of the rows by which a node finds replicas, from the heap of several views. */
    private long tableBytes(ClusterState state) {
        Topology topology = new Topology(
                state.epoch(),
                IntStream.rangeClosed(1, state.members().size())
                        .mapToObj(JoinPlanReport::node)
                        .toList());
        IntFunction<Row> row = partition -> Row.stable(
                state.rowVersion(partition),
                IntStream.range(0, state.replicationFactor())
                        .mapToObj(slot -> topology.nodes().get(state.slots().owner(partition, slot) - 1))
                        .toList());
        Supplier<ClusterView> view = () -> ClusterView.agreed(
                state.cluster(),
                name(1),
                topology,
                HashFunctions.xxh3(),
                IntStream.range(0, partitions).mapToObj(row).toList(),
                Map.of());
        List<ClusterView> kept = new ArrayList<>(List.of(view.get()));
        long before = usedBytes();
        for (int i = 0; i < VIEWS; i++) {
            kept.add(view.get());
        }
        long after = usedBytes();
        if (kept.get(VIEWS).partitions() != partitions) {
            throw new IllegalStateException("a view has another number of partitions");
        }
        return (after - before) / VIEWS;
    }

    private static long usedBytes() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    private static Node node(int number) {
        return new Node(name(number), attributes(number).address(), 1);
    }

    private static NodeId name(int number) {
        return new NodeId("node-" + number);
    }

    private static UUID incarnation(int number) {
        return UUID.nameUUIDFromBytes(("incarnation " + number).getBytes(StandardCharsets.US_ASCII));
    }

    private static MemberAttributes attributes(int number) {
        return new MemberAttributes(
                "node-" + number + ".example.org:7000", List.of("http://node-" + number + ".example.org:8080"), 1, "");
    }
}
