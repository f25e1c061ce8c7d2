package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.files.Directories;
import io.dht4j.benchmarks.load.closed.FailedOperations;
import io.dht4j.benchmarks.load.closed.ThroughputLoop;
import io.dht4j.benchmarks.process.ChildException;
import io.dht4j.benchmarks.process.Parallel;
import io.dht4j.benchmarks.product.MemberProcess;
import io.dht4j.benchmarks.product.MemberSpec;
import io.dht4j.benchmarks.product.Product;
import io.dht4j.benchmarks.results.KeyFigure;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.lab.internal.counters.Counters;
import io.dht4j.lab.internal.counters.StolenTime;
import io.dht4j.lab.internal.load.CompilerWork;
import io.dht4j.lab.internal.load.Operation;
import io.dht4j.lab.internal.load.WarmUp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;

/**
 * Compares this library with Hazelcast, Infinispan and etcd: three members, each in a process of its own that also
 * generates a third of the load; the servers of etcd have processes beside these. Keys, values and operations in flight
 * are the same. A put is acknowledged when every member has it, and a get reads one copy; with this library's atomic
 * maps and etcd a put is acknowledged when a majority has forced it, and a get is linearizable.
 */
public final class Peers implements Scenario {

    private static final int MEMBERS = 3;
    private static final List<Operation> OPERATIONS = List.of(Operation.PUT, Operation.GET);
    private static final String DURABLE = "dht4j-durable";
    private static final String ETCD = "etcd";
    private static final List<String> ALL =
            List.of("dht4j", DURABLE, "dht4j-atomic", "hazelcast", "hazelcast-backup-reads", "infinispan", ETCD);

    private static final String NEW = "new";
    private static final String KEPT = "kept";
    private static final double TURN_SECONDS = 2;

    /** Creates the scenario. */
    public Peers() {}

    @Override
    public String name() {
        return "peers";
    }

    @Override
    public String question() {
        return "How does this library compare with Hazelcast, Infinispan and etcd on the same work?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.values();
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                Parameter.list(
                        "products",
                        "variants",
                        ALL,
                        "dht4j,hazelcast,infinispan",
                        "dht4j,dht4j-durable,hazelcast,hazelcast-backup-reads,infinispan"),
                CandidateParameters.with(),
                CandidateParameters.transportClass(),
                new Parameter("keys", "number of keys, 1 to 10,000,000", "20000", "100000"),
                Parameter.of("value-bytes", "size of a value, 0 to 1,048,576", "100"),
                new Parameter("in-flight", "operations in flight at each member, 1 to 4096", "32", "64"),
                new Parameter("warm-up", "least seconds of each operation before measuring, 0 to 600", "4", "10"),
                new Parameter(
                        "warm-up-limit",
                        "greatest seconds of each operation before measuring, if the compilers stay busy, 0 to 3600",
                        "6",
                        "60"),
                new Parameter("seconds", "length of a repetition, 0.1 to 600", "0.75", "5"),
                new Parameter("repetitions", "measurements of each product, in turns, 1 to 100", "4", "5"),
                new Parameter(
                        "processes",
                        "of a repetition: new; or kept, where those of all products start once and stay, which saves "
                                + "time and hides differences between processes",
                        KEPT,
                        NEW),
                new Parameter("heap", "heap of each member, 128 to 100,000 MB", "512", "1024"));
    }

    @Override
    public void check(Settings settings) {
        Plan.of(settings);
        if (contenders(settings).stream().anyMatch(each -> each.product() == Product.ETCD) && !Product.isEtcdFound()) {
            throw new IllegalArgumentException("--products " + ETCD + ": there is no program " + Product.ETCD_COMMAND
                    + " on the PATH; install it, for example Debian's package etcd-server");
        }
    }

    @Override
    public Needs needs(Settings settings) {
        Plan plan = Plan.of(settings);
        int clusters = plan.keepsProcesses() ? contenders(settings).size() : 1;
        return Needs.of(
                (512L << 20) + Needs.storeBytes((long) clusters * MEMBERS * plan.keys(), plan.valueBytes()),
                clusters * MEMBERS,
                plan.heap());
    }

    private record Plan(
            int keys,
            int valueBytes,
            int inFlight,
            double warmUp,
            double warmUpLimit,
            double seconds,
            int repetitions,
            boolean keepsProcesses,
            int heap) {

        static Plan of(Settings settings) {
            return new Plan(
                    (int) settings.number("keys", 1, 10_000_000),
                    (int) settings.number("value-bytes", 0, 1 << 20),
                    (int) settings.number("in-flight", 1, 4096),
                    settings.decimal("warm-up", 0, 600),
                    settings.decimal("warm-up-limit", 0, 3600),
                    settings.decimal("seconds", 0.1, 600),
                    (int) settings.number("repetitions", 1, 100),
                    settings.one("processes", List.of(NEW, KEPT)).equals(KEPT),
                    (int) settings.number("heap", 128, 100_000));
        }
    }

    /** A variant: a product, and the special options of its members, for the directory of each. */
    private record Contender(String name, Product product, BiFunction<MemberSpec, String, MemberSpec> adapted) {}

    /** A running cluster, filled. */
    private record Running(String name, List<MemberProcess> members, Path data) implements AutoCloseable {

        Counters counters() throws ChildException, InterruptedException {
            List<Counters> parts = new ArrayList<>();
            for (MemberProcess member : members) {
                parts.add(member.counters());
            }
            return Counters.sum(parts);
        }

        @Override
        public void close() throws IOException {
            members.forEach(MemberProcess::close);
            Directories.delete(data);
        }
    }

    /** The results of a product at an operation. Confined to one thread. */
    private static final class Cell {

        private final List<Double> rates = new ArrayList<>();
        private final Set<String> doubts = new LinkedHashSet<>();
        private final CompilerWork compilers = new CompilerWork();
        private final List<ThroughputLoop.Result> results = new ArrayList<>();
    }

    @Override
    public void run(RunContext context) throws IOException, InterruptedException {
        Plan plan = Plan.of(context);
        context.note("Every member has every entry. A get of this library, of Infinispan and of "
                + "hazelcast-backup-reads reads the member's own"
                + " copy; that of hazelcast goes to the entry's owner, as it does by default.");
        List<Contender> contenders = contenders(context);
        if (contenders.stream().anyMatch(each -> each.product().isDurable())) {
            context.note("dht4j-atomic and etcd: a put is acknowledged when a majority has forced it, and a get is "
                    + "linearizable. The servers of etcd run beside the processes that call them.");
        }
        Map<String, Cell> cells = new HashMap<>();
        if (plan.keepsProcesses()) {
            context.plan(contenders.size() * (1 + plan.repetitions() * OPERATIONS.size()));
            measureKept(context, contenders, plan, cells);
        } else {
            context.plan(plan.repetitions() * contenders.size() * (1 + OPERATIONS.size()));
            measureNew(context, contenders, plan, cells);
        }
    }

    private static void measureNew(RunContext context, List<Contender> contenders, Plan plan, Map<String, Cell> cells)
            throws IOException, InterruptedException {
        for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
            for (int i = 0; i < contenders.size(); i++) {
                // Rotated, so that none always follows the same other one; one at a time, since idle ones work too.
                Contender contender = contenders.get((i + repetition) % contenders.size());
                context.step(contender.name() + ": starting, filling and warming up" + turn(plan, repetition));
                try (Running cluster = start(contender, plan, context)) {
                    for (Operation operation : OPERATIONS) {
                        measure(context, cluster, operation, repetition, plan, cells);
                    }
                }
            }
        }
    }

    private static void measureKept(RunContext context, List<Contender> contenders, Plan plan, Map<String, Cell> cells)
            throws IOException, InterruptedException {
        context.note("The processes of each product started once and stayed: the repetitions do not show how processes "
                + "of the same product differ. Those of the other products were idle meanwhile.");
        List<Running> clusters = new ArrayList<>();
        try {
            for (Contender contender : contenders) {
                context.step(contender.name() + ": starting, filling and warming up");
                clusters.add(start(contender, plan, context));
            }
            for (Operation operation : OPERATIONS) {
                for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
                    for (int i = 0; i < clusters.size(); i++) {
                        Running cluster = clusters.get((i + repetition) % clusters.size());
                        measure(context, cluster, operation, repetition, plan, cells);
                    }
                }
            }
        } finally {
            // All processes end, even if the files of one cannot be deleted.
            clusters.forEach(cluster -> cluster.members().forEach(MemberProcess::close));
            for (Running cluster : clusters) {
                cluster.close();
            }
        }
    }

    private static String turn(Plan plan, int repetition) {
        return plan.repetitions() == 1 ? "" : ", repetition " + (repetition + 1) + " of " + plan.repetitions();
    }

    private static void measure(
            RunContext context,
            Running cluster,
            Operation operation,
            int repetition,
            Plan plan,
            Map<String, Cell> cells)
            throws IOException, InterruptedException {
        context.step(cluster.name() + ": " + operation + turn(plan, repetition));
        Cell cell = cells.computeIfAbsent(operation + " " + cluster.name(), name -> new Cell());
        StolenTime stolen = new StolenTime();
        Counters before = cluster.counters();
        List<ThroughputLoop.Result> results = loops(cluster, operation, plan, plan.seconds());
        cell.rates.add(
                results.stream().mapToDouble(ThroughputLoop.Result::perSecond).sum());
        cell.results.addAll(results);
        Counters spent = cluster.counters().since(before);
        cell.compilers.add(spent, plan.seconds());
        if (stolen.percent() > StolenTime.MUCH_PERCENT) {
            cell.doubts.add("more than 5 % of the processors' time went to others on this host");
        }
        context.add(measurement(operation, cluster, cell));
    }

    private static Measurement measurement(Operation operation, Running cluster, Cell cell) {
        List<String> doubts = new ArrayList<>(cell.doubts);
        cell.compilers.doubt("the members").ifPresent(doubts::add);
        FailedOperations.doubt(cell.results).ifPresent(doubts::add);
        return new Measurement(
                operation.name(),
                cluster.name(),
                Measurement.PER_SECOND,
                true,
                cell.rates,
                cluster.members().get(0).settings(),
                doubts);
    }

    /** The products, and this library over each transport of the user's own. */
    private static List<Contender> contenders(Settings settings) {
        List<Contender> contenders = new ArrayList<>();
        for (String name : settings.names("products", ALL)) {
            Product product = name.equals(DURABLE)
                    ? Product.DHT4J
                    : Product.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
            contenders.add(new Contender(
                    name,
                    product,
                    (spec, data) -> name.equals(DURABLE) || product.isDurable() ? spec.durableIn(data) : spec));
        }
        List<String> jars = CandidateParameters.jars(settings);
        CandidateParameters.transportClasses(settings, List.of())
                .forEach((name, className) -> contenders.add(new Contender(
                        "dht4j over " + name, Product.DHT4J, (spec, data) -> spec.over(className, jars))));
        return contenders;
    }

    /** Starts, fills and warms up a cluster. */
    private static Running start(Contender contender, Plan plan, RunContext context)
            throws IOException, InterruptedException {
        Path data = Files.createTempDirectory(context.scratch(), "members");
        List<MemberProcess> members = MemberProcess.startAll(
                contender.product(),
                MEMBERS,
                (index, ports) -> contender
                        .adapted()
                        .apply(
                                MemberSpec.of(contender.product(), index, ports, MEMBERS, 1, plan.valueBytes()),
                                data.resolve("member-" + index).toString()),
                plan.heap());
        Running cluster = new Running(contender.name(), members, data);
        try {
            members.get(0).fill(plan.keys(), plan.inFlight());
            warmUp(cluster, plan);
            return cluster;
        } catch (IOException | InterruptedException | RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    private static void warmUp(Running cluster, Plan plan) throws IOException, InterruptedException {
        if (plan.warmUp() == 0) {
            return;
        }
        double turn = Math.min(plan.warmUp(), TURN_SECONDS);
        List<WarmUp.Turn<IOException>> turns = new ArrayList<>();
        for (Operation operation : OPERATIONS) {
            turns.add(() -> {
                loops(cluster, operation, plan, turn);
                return turn;
            });
        }
        new WarmUp<IOException>(OPERATIONS.size() * plan.warmUpLimit(), cluster::counters, System::nanoTime)
                .run(OPERATIONS.size() * plan.warmUp(), turns);
    }

    /** All members generate load at the same time, and the sum of their rates counts. */
    private static List<ThroughputLoop.Result> loops(Running cluster, Operation operation, Plan plan, double seconds)
            throws IOException, InterruptedException {
        List<Callable<ThroughputLoop.Result>> loops = new ArrayList<>();
        for (MemberProcess member : cluster.members()) {
            loops.add(() -> member.loop(operation, plan.inFlight(), seconds, plan.keys()));
        }
        return Parallel.call(loops);
    }
}
