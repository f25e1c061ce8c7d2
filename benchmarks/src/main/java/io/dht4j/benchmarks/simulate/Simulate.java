package io.dht4j.benchmarks.simulate;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.dht4j.server.cli.Suggestions;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.HelpAtSpaces;
import io.dht4j.server.cli.console.Messages;
import io.dht4j.simulator.HintLogs;
import io.dht4j.simulator.SimulationOptions;
import io.dht4j.simulator.SimulationOptions.Mode;
import io.dht4j.simulator.SimulationReport;
import io.dht4j.simulator.Simulator;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code ./dht simulate}. */
@Command(
        name = "dht simulate",
        mixinStandardHelpOptions = true,
        header = "Searches for broken guarantees in virtual time.%n",
        description = {
            "%nEach seed is a cluster of three or five real nodes, some minutes of calls, and links, disks, "
                    + "clocks and processes that fail.",
            "A seed repeats its run exactly:",
            "  @|bold ./dht simulate --seed 7|@%n"
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:no guarantee was broken",
            "1:a guarantee was broken; the output names the seeds",
            "2:wrong usage",
            "141:standard output was closed by its reader"
        })
public final class Simulate implements Callable<Integer> {

    private static final int MOST_FINDINGS = 10;
    /** One of this number of seeds keeps its hints in real files. */
    private static final int SEEDS_PER_HINT_FILES = 8;

    /** One of this number of seeds agrees over MicroRaft, in real files. */
    private static final int SEEDS_PER_RAFT_FILES = 5;

    private static final long TELL_NANOS = 2_000_000_000L;

    private final Console console;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Option(
            names = "--seeds",
            paramLabel = "NUMBER",
            defaultValue = "1000",
            description = "number of seeds, 1 or more; ${DEFAULT-VALUE} unless given")
    private long seeds;

    @Option(
            names = "--from",
            paramLabel = "SEED",
            defaultValue = "0",
            description = "the first seed; ${DEFAULT-VALUE} unless given")
    private long from;

    @Option(names = "--seed", paramLabel = "SEED", description = "only this seed, with the logs of the nodes")
    private Optional<Long> seed = Optional.empty();

    @Option(
            names = "--seconds",
            paramLabel = "SECONDS",
            description = "virtual time with faults, 1 or more; 120 unless given, 360 while nodes change")
    private Optional<Integer> seconds = Optional.empty();

    @Option(
            names = "--operations",
            paramLabel = "NUMBER",
            description = "calls in that time, 1 or more; 300 unless given, 600 while nodes change")
    private Optional<Integer> operations = Optional.empty();

    @Option(
            names = "--keys",
            paramLabel = "NUMBER",
            description = "keys that the calls share, 1 or more; 6 unless given, 8 while nodes change")
    private Optional<Integer> keys = Optional.empty();

    @Option(
            names = "--membership",
            paramLabel = "MODE",
            defaultValue = "static",
            description = {
                "how the cluster gets its nodes; ${DEFAULT-VALUE} unless given",
                "static: by its configuration",
                "agreed: it forms an agreed cluster",
                "changing: besides, nodes join, leave and are replaced"
            })
    private Mode membership = Mode.STATIC;

    private final AtomicLong done = new AtomicLong();
    private final AtomicLong simulatedSeconds = new AtomicLong();
    private final List<SimulationReport> findings = new ArrayList<>();
    private long toldNanos = System.nanoTime();

    private Simulate(Console console) {
        this.console = console;
    }

    /**
     * Runs the command and ends the process with its exit code.
     *
     * @param args its arguments
     */
    public static void main(String[] args) {
        // Numbers have the English form of the text.
        Locale.setDefault(Locale.Category.FORMAT, Locale.ROOT);
        System.exit(execute(Console.ofProcess(), args));
    }

    /**
     * Runs the command.
     *
     * @return the exit code
     */
    static int execute(Console console, String... args) {
        CommandLine command = new CommandLine(new Simulate(console))
                .setColorScheme(CommandLine.Help.defaultColorScheme(console.outIsTerminal() ? Ansi.AUTO : Ansi.OFF))
                .setHelpFactory(HelpAtSpaces::new)
                .setUsageHelpAutoWidth(console.outIsTerminal())
                .setAbbreviatedOptionsAllowed(false)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setParameterExceptionHandler((e, given) -> wrongUsage(console, e));
        return console.execute(command, args);
    }

    private static int wrongUsage(Console console, ParameterException e) {
        console.report("dht simulate: " + Messages.of(e));
        Suggestions.of(e, List.of()).ifPresent(console::report);
        console.err().println("Try: ./dht simulate --help");
        return CommandLine.ExitCode.USAGE;
    }

    @Override
    public Integer call() throws InterruptedException, ExecutionException {
        require(seeds >= 1, "--seeds", seeds);
        SimulationOptions options = options();
        if (seed.isPresent()) {
            ended(run(seed.get(), options));
            if (!findings.isEmpty()) {
                return CommandLine.ExitCode.SOFTWARE;
            }
            console.out().println("no promise was broken");
            return CommandLine.ExitCode.OK;
        }
        // The nodes' log of thousands of intended failures is useless.
        ((Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)).setLevel(Level.OFF);
        long begun = System.nanoTime();
        search(options);
        double minutes = (System.nanoTime() - begun) / 60e9;
        console.out()
                .printf(
                        Locale.ROOT,
                        "%d seeds, %.0f simulated minutes in %.1f minutes: %s%n",
                        done.get(),
                        simulatedSeconds.get() / 60.0,
                        minutes,
                        findings.isEmpty() ? "no promise was broken" : findings.size() + " broke a promise");
        return findings.isEmpty() ? CommandLine.ExitCode.OK : CommandLine.ExitCode.SOFTWARE;
    }

    private SimulationOptions options() {
        SimulationOptions usual = SimulationOptions.defaults(membership);
        long time = seconds.map(Integer::longValue).orElse(usual.time().toSeconds());
        int calls = operations.orElse(usual.operations());
        int shared = keys.orElse(usual.keys());
        require(time >= 1, "--seconds", time);
        require(calls >= 1, "--operations", calls);
        require(shared >= 1, "--keys", shared);
        return new SimulationOptions(Duration.ofSeconds(time), calls, shared, membership);
    }

    private void require(boolean right, String option, long value) {
        if (!right) {
            throw new ParameterException(spec.commandLine(), option + " must be 1 or more, not " + value);
        }
    }

    private static SimulationReport run(long seed, SimulationOptions options) {
        if (seed % SEEDS_PER_HINT_FILES != 0) {
            return run(seed, options, Optional.empty());
        }
        try (HintFiles files = new HintFiles()) {
            return run(seed, options, Optional.of(files));
        }
    }

    private static SimulationReport run(long seed, SimulationOptions options, Optional<HintLogs> hints) {
        if (options.membership() == Mode.STATIC || seed % SEEDS_PER_RAFT_FILES != 0) {
            return Simulator.run(seed, options, hints, Optional.empty());
        }
        try (RaftFiles files = new RaftFiles()) {
            return Simulator.run(seed, options, hints, Optional.of(files));
        }
    }

    private void search(SimulationOptions options) throws InterruptedException, ExecutionException {
        int threads = Runtime.getRuntime().availableProcessors();
        AtomicLong next = new AtomicLong(from);
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Future<?>> searchers = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                searchers.add(pool.submit(() -> {
                    try {
                        for (long mine = next.getAndIncrement();
                                mine < from + seeds && !isEnough();
                                mine = next.getAndIncrement()) {
                            ended(run(mine, options));
                        }
                    } finally {
                        next.set(from + seeds); // One that fails, for example to write its output, ends the others.
                    }
                }));
            }
            for (Future<?> searcher : searchers) {
                searcher.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }

    private synchronized boolean isEnough() {
        return findings.size() >= MOST_FINDINGS;
    }

    private synchronized void ended(SimulationReport report) {
        done.incrementAndGet();
        simulatedSeconds.addAndGet(report.time().toSeconds());
        if (!report.violations().isEmpty()) {
            findings.add(report);
            console.out()
                    .println("seed " + report.seed() + ", " + report.setup() + ", faults " + report.faults() + ":");
            report.violations().forEach(violation -> console.out().println("    " + violation));
            console.out()
                    .println("  again: ./dht simulate --seed " + report.seed() + " --seconds "
                            + options().time().toSeconds()
                            + " --operations " + options().operations() + " --keys "
                            + options().keys()
                            + (membership == Mode.STATIC
                                    ? ""
                                    : " --membership " + membership.name().toLowerCase(Locale.ROOT)));
        }
        if (System.nanoTime() - toldNanos > TELL_NANOS) {
            toldNanos = System.nanoTime();
            console.err()
                    .printf(
                            Locale.ROOT,
                            "dht simulate: %d of %d seeds, %.0f simulated minutes%n",
                            done.get(),
                            seed.isPresent() ? 1 : seeds,
                            simulatedSeconds.get() / 60.0);
        }
    }
}
