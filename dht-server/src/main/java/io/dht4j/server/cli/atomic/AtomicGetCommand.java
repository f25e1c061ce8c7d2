package io.dht4j.server.cli.atomic;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.Value;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.ValueOutput;
import io.dht4j.server.client.ClientException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reads an atomic key. */
@Command(
        name = "get",
        mixinStandardHelpOptions = true,
        header = "Reads an atomic key.%n",
        description = {
            "%nWrites the value as dht get does, a counter as decimal digits. The exit code of an absent key is 1.%n"
        })
final class AtomicGetCommand implements Callable<Integer> {

    private final Console console;

    @Mixin
    private final AtomicTarget target;

    @Mixin
    private final ValueOutput out;

    @Option(
            names = "--show-version",
            description = "Prints the version on a line before the value; with --out, only the version is printed.")
    private boolean showVersion;

    AtomicGetCommand(Console console) {
        this.console = console;
        this.target = new AtomicTarget(console);
        this.out = new ValueOutput(console);
    }

    @Override
    public Integer call() throws IOException, ClientException {
        AtomicResult result = target.execute(AtomicChange::read, Optional.empty());
        Value value = result.current().orElseThrow(() -> new ClientException("not found: " + target));
        if (showVersion) {
            console.show(result.version().toString());
        }
        out.write(value.bytes());
        return 0;
    }
}
