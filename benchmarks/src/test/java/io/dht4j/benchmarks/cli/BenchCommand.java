package io.dht4j.benchmarks.cli;

import io.dht4j.benchmarks.scenario.Scenario;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.StandardOutput;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** A command that ran in this process, and its result. */
record BenchCommand(int exitCode, String out, String err) {

    /** Runs a command with these scenarios. */
    static BenchCommand run(List<Scenario> scenarios, String... args) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        Console console = new Console(
                InputStream.nullInputStream(),
                new StandardOutput(out),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                false,
                false,
                Map.of());
        int exitCode = Bench.execute(console, scenarios, args);
        return new BenchCommand(exitCode, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
    }
}
