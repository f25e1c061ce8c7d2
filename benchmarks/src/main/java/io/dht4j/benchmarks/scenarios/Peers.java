package io.dht4j.benchmarks.scenarios;

import io.dht4j.benchmarks.files.Directories;
import io.dht4j.benchmarks.load.closed.ClosedLoad;
import io.dht4j.benchmarks.process.ChildDiedException;
import io.dht4j.benchmarks.product.MemberProcess;
import io.dht4j.benchmarks.product.MemberSpec;
import io.dht4j.benchmarks.product.Product;
import io.dht4j.benchmarks.report.KeyFigure;
import io.dht4j.benchmarks.report.Measurement;
import io.dht4j.benchmarks.scenario.CandidateParameters;
import io.dht4j.benchmarks.scenario.Lab;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Parameter;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.benchmarks.scenario.Settings;
import io.dht4j.lab.internal.counters.StolenTime;
import io.dht4j.lab.internal.load.Operation;
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
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;

/**
 * Compares this library with Hazelcast and Infinispan: three embedded members, each in a process of its own that also
 * generates a third of the load. Keys, values and operations in flight are the same. A put is acknowledged when every
 * member has it; a get reads one copy.
 */
public final class Peers implements Scenario {

    private static final int MEMBERS = 3;
    private static final List<Operation> OPERATIONS = List.of(Operation.PUT, Operation.GET);
    private static final String DURABLE = "dht4j-durable";
    private static final List<String> ALL =
            List.of("dht4j", DURABLE, "hazelcast", "hazelcast-backup-reads", "infinispan");

    private static final List<String> USUAL = List.of("dht4j", DURABLE, "hazelcast", "infinispan");

    /** Creates the scenario. */
    public Peers() {}

    @Override
    public String name() {
        return "peers";
    }

    @Override
    public String question() {
        return "How does this library compare with Hazelcast and Infinispan on the same work?";
    }

    @Override
    public KeyFigure keyFigure() {
        return KeyFigure.values();
    }

    @Override
    public List<Parameter> parameters() {
        return List.of(
                new Parameter(
                        "products",
                        "variants, separated by commas: " + String.join(", ", ALL),
                        String.join(",", USUAL),
                        String.join(",", ALL)),
                CandidateParameters.with(),
                CandidateParameters.transportClass(),
                new Parameter("keys", "number of keys, 1 to 10,000,000", "20000", "100000"),
                new Parameter("value-bytes", "size of a value, 0 to 1,048,576", "100", "100"),
                new Parameter("in-flight", "operations in flight at each member, 1 to 4096", "32", "64"),
                new Parameter("warm-up", "seconds of each operation before measuring, 0 to 600", "2.5", "10"),
                new Parameter("seconds", "length of a repetition, 0.1 to 600", "1.5", "5"),
                new Parameter(
                        "repetitions",
                        "measurements of each product, in turns, with new processes, 1 to 100",
                        "1",
                        "5"),
                new Parameter("heap", "heap of each member, 128 to 100,000 MB", "768", "1024"));
    }

    @Override
    public void check(Settings settings) {
        Plan.of(settings);
        contenders(settings);
    }

    @Override
    public Needs needs(Settings settings) {
        Plan plan = Plan.of(settings);
        return Needs.of((512L << 20) + MEMBERS * 4L * plan.keys() * (plan.valueBytes() + 100L), MEMBERS, plan.heap());
    }

    private record Plan(
            int keys, int valueBytes, int inFlight, double warmUp, double seconds, int repetitions, int heap) {

        static Plan of(Settings settings) {
            return new Plan(
                    (int) settings.number("keys", 1, 10_000_000),
                    (int) settings.number("value-bytes", 0, 1 << 20),
                    (int) settings.number("in-flight", 1, 4096),
                    settings.decimal("warm-up", 0, 600),
                    settings.decimal("seconds", 0.1, 600),
                    (int) settings.number("repetitions", 1, 100),
                    (int) settings.number("heap", 128, 100_000));
        }
    }

    /** A variant: a product, and what its members have beside the usual, for the directory of each. */
    private record Contender(String name, Product product, BiFunction<MemberSpec, String, MemberSpec> adapted) {}

    /** A running cluster. */
    private record Running(String name, List<MemberProcess> members) implements AutoCloseable {

        @Override
        public void close() {
            members.forEach(MemberProcess::close);
        }
    }

    /** The results of a product at an operation. */
    private record Cell(List<Double> rates, Set<String> doubts) {}

    @Override
    public void run(Lab lab) throws IOException, InterruptedException {
        Plan plan = Plan.of(lab);
        lab.note("Every member has every entry. A get of this library, of Infinispan and of "
                + "hazelcast-backup-reads reads the member's own"
                + " copy; that of hazelcast goes to the entry's owner, as it does by default.");
        List<Contender> contenders = contenders(lab);
        lab.plan(plan.repetitions() * contenders.size() * (1 + OPERATIONS.size()));
        Map<String, Cell> cells = new HashMap<>();
        for (int repetition = 0; repetition < plan.repetitions(); repetition++) {
            for (int i = 0; i < contenders.size(); i++) {
                // Rotated, so that none always follows the same other one; one at a time, since idle ones work too.
                measure(lab, contenders.get((i + repetition) % contenders.size()), repetition, plan, cells);
            }
        }
    }

    private static void measure(Lab lab, Contender contender, int repetition, Plan plan, Map<String, Cell> cells)
            throws IOException, InterruptedException {
        String turn = plan.repetitions() == 1 ? "" : ", repetition " + (repetition + 1) + " of " + plan.repetitions();
        String product = contender.name();
        lab.step(product + ": starting and filling" + turn);
        Path data = Files.createTempDirectory(lab.scratch(), "members");
        try (Running cluster = start(contender, plan, data)) {
            cluster.members().get(0).fill(plan.keys(), plan.inFlight());
            for (Operation operation : OPERATIONS) {
                lab.step(product + ": " + operation + turn);
                if (plan.warmUp() > 0) {
                    perSecond(cluster, operation, plan, plan.warmUp());
                }
                Cell cell = cells.computeIfAbsent(
                        operation + " " + product, name -> new Cell(new ArrayList<>(), new LinkedHashSet<>()));
                StolenTime stolen = new StolenTime();
                cell.rates().add(perSecond(cluster, operation, plan, plan.seconds()));
                if (stolen.percent() > StolenTime.MUCH_PERCENT) {
                    cell.doubts().add("more than 5 % of the processors' time went to others on this host");
                }
                lab.add(measurement(operation, cluster, cell));
            }
        } finally {
            Directories.delete(data);
        }
    }

    private static Measurement measurement(Operation operation, Running cluster, Cell cell) {
        return new Measurement(
                operation.name(),
                cluster.name(),
                Measurement.PER_SECOND,
                true,
                cell.rates(),
                cluster.members().get(0).settings(),
                List.of(),
                Map.of(),
                List.of(),
                List.copyOf(cell.doubts()));
    }

    /** The products, and this library over each transport of the user's own. */
    private static List<Contender> contenders(Settings settings) {
        List<Contender> contenders = new ArrayList<>();
        for (String name : settings.names("products", ALL)) {
            Product product = name.equals(DURABLE)
                    ? Product.DHT4J
                    : Product.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
            contenders.add(
                    new Contender(name, product, (spec, data) -> name.equals(DURABLE) ? spec.durableIn(data) : spec));
        }
        List<String> jars = CandidateParameters.jars(settings);
        CandidateParameters.transportClasses(settings, List.of())
                .forEach((name, className) -> contenders.add(new Contender(
                        "dht4j over " + name, Product.DHT4J, (spec, data) -> spec.over(className, jars))));
        return contenders;
    }

    private static Running start(Contender contender, Plan plan, Path data) throws IOException, InterruptedException {
        return new Running(
                contender.name(),
                MemberProcess.startAll(
                        contender.product(),
                        MEMBERS,
                        (index, ports) -> contender
                                .adapted()
                                .apply(
                                        MemberSpec.of(contender.product(), index, ports, MEMBERS, 1, plan.valueBytes()),
                                        data.resolve("member-" + index).toString()),
                        plan.heap()));
    }

    /** All members generate load at the same time, and their sum counts. */
    private static double perSecond(Running cluster, Operation operation, Plan plan, double seconds)
            throws IOException, InterruptedException {
        ExecutorService threads = Executors.newFixedThreadPool(MEMBERS);
        try {
            List<Callable<ClosedLoad.Result>> loops = new ArrayList<>();
            for (MemberProcess member : cluster.members()) {
                loops.add(() -> member.loop(operation, plan.inFlight(), seconds, plan.keys()));
            }
            double sum = 0;
            List<Throwable> failures = new ArrayList<>();
            for (Future<ClosedLoad.Result> loop : threads.invokeAll(loops)) {
                try {
                    sum += loop.get().perSecond();
                } catch (ExecutionException e) {
                    failures.add(e.getCause());
                }
            }
            if (!failures.isEmpty()) {
                throw worst(failures);
            }
            return sum;
        } finally {
            threads.shutdownNow();
        }
    }

    /** When a member dies, the operations of the others fail too; the dead one has the reason. */
    private static IOException worst(List<Throwable> failures) {
        Throwable first = failures.stream()
                .filter(ChildDiedException.class::isInstance)
                .findFirst()
                .orElse(failures.get(0));
        failures.stream().filter(other -> other != first).forEach(first::addSuppressed);
        return first instanceof IOException failed ? failed : new IOException(String.valueOf(first), first);
    }
}
