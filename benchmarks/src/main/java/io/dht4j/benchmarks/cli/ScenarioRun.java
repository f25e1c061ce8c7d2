package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.files.Directories;
import io.dht4j.benchmarks.report.Answer;
import io.dht4j.benchmarks.report.Figures;
import io.dht4j.benchmarks.report.Report;
import io.dht4j.benchmarks.results.Doubts;
import io.dht4j.benchmarks.results.Machine;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.results.Spread;
import io.dht4j.benchmarks.scenario.Needs;
import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.lab.CandidateException;
import io.dht4j.server.Lifetime;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.Messages;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import picocli.CommandLine.ExitCode;

/** A run of a scenario, to its end: done, failed, or stopped by a signal. */
final class ScenarioRun {

    /** The file with the stack trace of an error that ended a run. */
    static final String FAILURE = "failure.txt";

    private static final Duration CLOSING_TIME = Duration.ofSeconds(30);
    private static final Duration ENDING_TIME = Duration.ofSeconds(5);
    private static final long RESERVE_BYTES = 64L << 20;

    private final Console console;
    private final Scenario scenario;
    private final CommandLineSettings settings;
    private final Path directory;

    /**
     * Creates a run.
     *
     * @param settings checked
     * @param directory for the report; empty, if it exists
     */
    ScenarioRun(Console console, Scenario scenario, CommandLineSettings settings, Path directory) {
        this.console = console;
        this.scenario = scenario;
        this.settings = settings;
        this.directory = directory;
    }

    /**
     * Runs it. Blocks.
     *
     * @return the exit code
     * @throws IOException if it fails to begin, or to write the report
     */
    int run() throws IOException {
        prepare();
        Path scratch = Files.createDirectories(directory.resolve("scratch"));
        Set<ProcessHandle> others = children();
        try (Lifetime lifetime = Lifetime.begin(CLOSING_TIME)) {
            LabRun lab;
            boolean isComplete;
            try (RunProgress progress = new RunProgress(console, scenario.name(), System::nanoTime)) {
                lab = new LabRun(scenario, settings, directory, scratch, progress);
                isComplete = runIn(lab, lifetime);
            }
            endChildren(others);
            delete(scratch);
            if (isComplete) {
                lab.complete();
            } else {
                lifetime.failed();
            }
            lab.save();
            say(lab.results(), lab.announced());
            return isComplete ? ExitCode.OK : ExitCode.SOFTWARE;
        } catch (UncheckedIOException e) {
            throw new IOException(message(e), e);
        }
    }

    private void prepare() throws IOException {
        Needs needs = scenario.needs(settings);
        long memory = Machine.ofThisProcess().memoryBytes();
        if (memory < needs.memoryBytes()) {
            throw new IOException(String.format(
                    Locale.ROOT,
                    "%s needs %,d MiB of memory for its processes, but this machine has %,d MiB; make --heap "
                            + "smaller, or start fewer nodes",
                    scenario.name(),
                    needs.memoryBytes() >> 20,
                    memory >> 20));
        }
        boolean isThere = Files.isDirectory(directory);
        if (!isThere) {
            try {
                Files.createDirectories(directory);
            } catch (IOException e) {
                String why = Files.exists(directory) ? "it is a file" : "it cannot be made: " + Messages.of(e);
                throw new IOException("--out must be a directory for the report, not '" + directory + "': " + why, e);
            }
        }
        long needed = needs.diskBytes() + RESERVE_BYTES;
        long free = Files.getFileStore(directory).getUsableSpace();
        if (free < needed) {
            if (!isThere) {
                Files.delete(directory);
            }
            throw new IOException(String.format(
                    Locale.ROOT,
                    "%s needs %,d MiB of disk space, but %s has %,d MiB left; name a directory on another disk "
                            + "with --out",
                    scenario.name(),
                    needed >> 20,
                    directory.toAbsolutePath(),
                    free >> 20));
        }
    }

    /** Returns whether it ran to its end. */
    private boolean runIn(LabRun lab, Lifetime lifetime) {
        Thread runner = Thread.currentThread();
        Thread stopper = new Thread(() -> interruptAtStop(runner, lifetime), "bench-stopper");
        stopper.setDaemon(true);
        stopper.start();
        try {
            scenario.run(lab);
            return !lifetime.isStopAsked();
        } catch (Exception | Error e) { // An error must not lose the measurements.
            if (e instanceof InterruptedException || lifetime.isStopAsked()) {
                lab.note("The run was stopped before its end.");
                console.err().println("dht bench: stopped");
            } else {
                String message = message(e);
                lab.note("The run ended early: " + message);
                console.report("dht bench: " + scenario.name() + " ended early: " + message);
                keepTrace(e);
            }
            return false;
        } finally {
            stopper.interrupt();
            Thread.interrupted(); // The rest runs uninterrupted.
        }
    }

    private static void interruptAtStop(Thread runner, Lifetime lifetime) {
        try {
            lifetime.awaitStop();
            runner.interrupt();
        } catch (InterruptedException e) {
            // The scenario is over.
        }
    }

    private static String message(Throwable e) {
        if (e instanceof IOException io) {
            return Messages.of(io);
        }
        if (e instanceof UncheckedIOException && e.getCause() instanceof IOException cause) {
            return e.getMessage() + ": " + Messages.of(cause);
        }
        // A node reports the failure of its transport as the cause of its own.
        if (e.getCause() instanceof CandidateException candidate) {
            return String.valueOf(candidate.getMessage());
        }
        boolean isExpected = e instanceof IllegalStateException || e instanceof CandidateException;
        boolean isFault = e instanceof Error || (e instanceof RuntimeException && !isExpected);
        return isFault || e.getMessage() == null ? "unexpected failure: " + e : e.getMessage();
    }

    private void keepTrace(Throwable e) {
        Path file = directory.resolve(FAILURE);
        try (PrintWriter out = new PrintWriter(file.toFile(), StandardCharsets.UTF_8)) {
            e.printStackTrace(out);
        } catch (IOException unwritten) {
            console.err().println("dht bench: " + file + " cannot be written: " + Messages.of(unwritten));
        }
    }

    private static Set<ProcessHandle> children() {
        return ProcessHandle.current().descendants().collect(Collectors.toSet());
    }

    /** A scenario ends its own processes; this covers one that failed to. */
    private void endChildren(Set<ProcessHandle> others) {
        Set<ProcessHandle> left = children();
        left.removeAll(others);
        left.removeIf(process -> !process.isAlive());
        if (!left.isEmpty()) {
            console.err().println("dht bench: ending " + left.size() + " processes that the scenario left behind");
            left.forEach(ProcessHandle::destroyForcibly);
            CompletableFuture<Void> ends = CompletableFuture.allOf(
                    left.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new));
            ends.completeOnTimeout(null, ENDING_TIME.toSeconds(), TimeUnit.SECONDS)
                    .join();
        }
    }

    private void delete(Path scratch) {
        try {
            Directories.delete(scratch);
        } catch (IOException e) {
            console.err().println("dht bench: " + scratch + " cannot be deleted: " + Messages.of(e));
        }
    }

    private void say(Results results, List<String> announced) {
        Answer.of(results).text().lines().forEach(console.out()::println);
        for (Measurement m : results.measurements()) {
            Spread spread = Spread.of(m.values());
            List<String> doubts = Doubts.byKind(m.doubtsOfValues());
            console.out()
                    .printf(
                            "%s, %s: %s %s%s%s%n",
                            m.group(),
                            m.variant(),
                            Figures.of(spread.median()),
                            m.unit(),
                            m.values().size() == 1
                                    ? ""
                                    : " (" + Figures.of(spread.least()) + " to " + Figures.of(spread.greatest()) + ")",
                            doubts.isEmpty() ? "" : ", doubted: " + String.join("; ", doubts));
        }
        if (results.quick()) {
            console.out().println(Report.SHORT_FORM);
        }
        announced.forEach(console.out()::println);
        console.out().println("report: " + directory.resolve(Report.PAGE));
    }
}
