package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.report.Report;
import io.dht4j.benchmarks.results.Link;
import io.dht4j.benchmarks.results.Machine;
import io.dht4j.benchmarks.results.Measurement;
import io.dht4j.benchmarks.results.Results;
import io.dht4j.benchmarks.scenario.RunContext;
import io.dht4j.benchmarks.scenario.Scenario;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A context that writes its report again with each measurement, so that the report survives the end of the process. */
final class LabRun implements RunContext {

    private final Scenario scenario;
    private final CommandLineSettings settings;
    private final Path directory;
    private final Path scratch;
    private final RunProgress progress;
    private final String build = ThisBuild.read();
    private final Machine machine = Machine.ofThisProcess();
    private final Instant began = Instant.now();
    private final long beganNanos = System.nanoTime();
    private final List<Measurement> measurements = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final List<String> announced = new ArrayList<>();
    private final List<Link> links = new ArrayList<>();
    private String conclusion = "";
    private boolean complete;

    /**
     * Begins a run.
     *
     * @param directory of the report; exists
     * @param scratch for data; exists
     */
    LabRun(Scenario scenario, CommandLineSettings settings, Path directory, Path scratch, RunProgress progress) {
        this.scenario = scenario;
        this.settings = settings;
        this.directory = directory;
        this.scratch = scratch;
        this.progress = progress;
    }

    @Override
    public boolean quick() {
        return settings.quick();
    }

    @Override
    public boolean isDefault(String parameter) {
        return settings.isDefault(parameter);
    }

    @Override
    public String text(String parameter) {
        return settings.text(parameter);
    }

    @Override
    public Path directory() {
        return directory;
    }

    @Override
    public Path scratch() {
        return scratch;
    }

    @Override
    public void plan(int steps) {
        progress.plan(steps);
    }

    @Override
    public void step(String what) {
        progress.step(what);
    }

    @Override
    public void within(long done, long of) {
        progress.within(done, of);
    }

    @Override
    public void add(Measurement measurement) {
        for (int i = 0; i < measurements.size(); i++) {
            Measurement earlier = measurements.get(i);
            if (earlier.group().equals(measurement.group()) && earlier.variant().equals(measurement.variant())) {
                measurements.set(i, measurement);
                save();
                return;
            }
        }
        measurements.add(measurement);
        save();
    }

    @Override
    public void note(String text) {
        notes.add(text);
    }

    @Override
    public void announce(String text) {
        note(text);
        announced.add(text);
    }

    @Override
    public void conclude(String sentence) {
        conclusion = sentence;
    }

    @Override
    public void link(String title, Path file) {
        Path root = directory.toAbsolutePath().normalize();
        Path target = file.toAbsolutePath().normalize();
        if (!target.startsWith(root) || target.equals(root)) {
            throw new IllegalArgumentException(file + " is not in the report's directory " + directory);
        }
        links.add(new Link(title, root.relativize(target).toString().replace('\\', '/')));
    }

    /** Returns the notes that the command prints. */
    List<String> announced() {
        return List.copyOf(announced);
    }

    /** Marks the run as complete. */
    void complete() {
        complete = true;
    }

    /** Returns the results so far. */
    Results results() {
        List<String> command = new ArrayList<>(List.of("./dht", "bench", "run", scenario.name()));
        if (quick()) {
            command.add("--quick");
        }
        Map<String, String> parameters = settings.all();
        parameters.forEach((name, value) -> {
            command.add("--" + name);
            command.add(value);
        });
        return new Results(
                Results.SCHEMA,
                scenario.name(),
                scenario.question(),
                scenario.keyFigure(settings),
                conclusion,
                command,
                began,
                (System.nanoTime() - beganNanos) / 1e9,
                complete,
                quick(),
                parameters,
                build,
                machine,
                measurements,
                notes,
                links);
    }

    /** Writes the report of the results so far. */
    void save() {
        try {
            Report.write(directory, results());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write the report in " + directory, e);
        }
    }
}
