package io.dht4j.benchmarks.placement;

import io.dht4j.Node;
import io.dht4j.NodeId;
import io.dht4j.Topology;
import io.dht4j.server.cli.console.Console;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Reports how evenly placements spread partitions and how much moves when nodes join and leave, as a Markdown table.
 */
@Command(
        name = "placement-report",
        mixinStandardHelpOptions = true,
        description = "Evenness and movement of every placement, as a Markdown table.")
public final class PlacementReport implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Option(
            names = "--joins",
            defaultValue = "6",
            description = "consecutive joins, and leaves of single nodes, per line (default: ${DEFAULT-VALUE})")
    private int joins;

    @Option(
            names = "--sizes",
            split = ",",
            defaultValue = "3x1024,10x1024,50x1024,100x4096,300x16384,1000x16384",
            description = "nodes x partitions, with commas between (default: ${DEFAULT-VALUE})")
    private List<String> sizes = List.of();

    @Option(
            names = "--virtual-nodes",
            split = ",",
            description = "of rings that are compared in place of all placements, with commas between, each with and "
                    + "without bound")
    private List<Integer> virtualNodes = List.of();

    /** Creates the command; for picocli. */
    public PlacementReport() {}

    /**
     * Runs the command.
     *
     * @param args see {@code --help}
     */
    public static void main(String[] args) {
        System.exit(Console.ofProcess().execute(new CommandLine(new PlacementReport()), args));
    }

    @Override
    public Integer call() {
        List<Size> all = sizes.stream().map(this::size).toList();
        Map<String, Placement> placements = placements();
        PrintWriter out = spec.commandLine().getOut();
        out.println("| placement | nodes | partitions | load, first | load, of 3 | join, first | join, of 3 | leave, "
                + "of 3 |");
        out.println("|---|---|---|---|---|---|---|---|");
        for (Size size : all) {
            placements.forEach((name, placement) -> {
                out.println(line(name, placement, size.nodes(), size.partitions()));
                out.flush();
            });
        }
        return 0;
    }

    private record Size(int nodes, int partitions) {}

    private Size size(String text) {
        Matcher size = Pattern.compile("(\\d{1,6})x(\\d{1,6})").matcher(text);
        if (size.matches()) {
            int nodes = Integer.parseInt(size.group(1));
            int partitions = Integer.parseInt(size.group(2));
            if (nodes >= 3 && nodes + joins <= Topology.MAX_NODES && Integer.bitCount(partitions) == 1) {
                return new Size(nodes, partitions);
            }
        }
        throw new ParameterException(
                spec.commandLine(),
                "--sizes: '" + text + "' is not 3 to " + (Topology.MAX_NODES - joins)
                        + " nodes x a power of two below a million of partitions, such as 10x1024");
    }

    private Map<String, Placement> placements() {
        try {
            return virtualNodes.isEmpty() ? PlacementCandidates.byName() : PlacementCandidates.rings(virtualNodes);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), "--virtual-nodes: " + e.getMessage(), e);
        }
    }

    private String line(String name, Placement placement, int nodes, int partitions) {
        PartitionTable first = placement.assign(PlacementCandidates.nodes(nodes), partitions);
        double[] greatest = {load(first, nodes, 1), load(first, nodes, 3)};
        Spread[] join = {new Spread(), new Spread()};
        PartitionTable before = first;
        for (int n = nodes + 1; n <= nodes + joins; n++) {
            PartitionTable after = placement.assign(PlacementCandidates.nodes(n), partitions);
            join[0].add(n * moved(before, after, 1));
            join[1].add(n * moved(before, after, 3));
            before = after;
        }
        Spread leave = new Spread();
        for (int i = 0; i < joins && nodes > 3; i++) {
            List<Node> left = new ArrayList<>(PlacementCandidates.nodes(nodes).nodes());
            left.remove((2 * i + 1) * nodes / (2 * joins));
            leave.add(nodes * moved(first, placement.assign(new Topology(2, left), partitions), 3));
        }
        return String.format(
                Locale.ROOT,
                "| %s | %d | %d | %.2f | %.2f | %s | %s | %s |",
                name,
                nodes,
                partitions,
                greatest[0],
                greatest[1],
                join[0],
                join[1],
                leave);
    }

    /** Returns the greatest load, as a multiple of the mean. */
    private static double load(PartitionTable table, int nodes, int from) {
        Map<NodeId, Integer> loads = new HashMap<>();
        for (int partition = 0; partition < table.partitions(); partition++) {
            table.replicas(partition, from).forEach(node -> loads.merge(node.id(), 1, Integer::sum));
        }
        return loads.values().stream().mapToInt(i -> i).max().orElse(0) * (double) nodes / from / table.partitions();
    }

    /** Returns the part of the replicas that moved. */
    private static double moved(PartitionTable before, PartitionTable after, int from) {
        int moved = 0;
        for (int partition = 0; partition < after.partitions(); partition++) {
            List<Node> old = before.replicas(partition, from);
            for (Node node : after.replicas(partition, from)) {
                moved += old.contains(node) ? 0 : 1;
            }
        }
        return (double) moved / from / after.partitions();
    }

    /** Mean and greatest value. */
    private static final class Spread {

        private double sum;
        private double greatest;
        private int count;

        void add(double value) {
            sum += value;
            greatest = Math.max(greatest, value);
            count++;
        }

        @Override
        public String toString() {
            return count == 0 ? "" : String.format(Locale.ROOT, "%.2f (%.2f)", sum / count, greatest);
        }
    }
}
