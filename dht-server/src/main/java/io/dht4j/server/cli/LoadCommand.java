package io.dht4j.server.cli;

import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.Messages;
import io.dht4j.server.cli.console.TerminalProgress;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.cli.options.WholeNumber;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import io.dht4j.server.client.ItemFormat;
import io.dht4j.server.client.Loader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a file's entries. */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        header = "Writes the entries of a file.%n",
        description = {
            "%nOne entry a line, in one of two formats:",
            "  tsv     key, tabulator, value, with the escapes \\t, \\n, \\r and \\\\ for tabulator, line feed, "
                    + "carriage return and backslash.",
            "  ndjson  as dump writes it: {\"key_base64\":...,\"value_base64\":...,\"expires_at\":MILLIS}; or key "
                    + "and value as text. Expired entries are left out.",
            "%nA malformed line ends the load with an error that names it; the lines before it are written. Loading "
                    + "a file again is safe. Of several lines with one key, the last one counts.",
            "%nWith --if-absent the entries become atomic keys of the map, except those that have something already. "
                    + "Then the first of several lines with one key counts.%n"
        })
final class LoadCommand implements Callable<Integer> {

    private static final int KIB = 1 << 10;

    private final Console console;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "FILE", description = "The file, or - for standard input.")
    private Path file = Path.of("-");

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "tsv or ndjson. Default: by the file's name (.tsv, .tab, .ndjson, .jsonl).")
    private Optional<ItemFormat> format = Optional.empty();

    @Option(
            names = {"-p", "--parallel"},
            paramLabel = "N",
            defaultValue = "64",
            converter = WholeNumber.Parallel.class,
            description = "Requests in flight, 1 to 1024. Default: ${DEFAULT-VALUE}.")
    private int parallel;

    @Option(names = "--if-absent", description = "Sets atomic keys of --map instead, and only those that have nothing.")
    private boolean ifAbsent;

    @Option(names = "--map", paramLabel = "NAME", description = "With --if-absent, the name of the map.")
    private Optional<String> map = Optional.empty();

    @Mixin
    private final TargetNodeOptions node;

    LoadCommand(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws IOException, ClientException, InterruptedException {
        if (ifAbsent != map.isPresent()) {
            throw new ParameterException(spec.commandLine(), "--if-absent and --map go together");
        }
        ItemFormat lines = format.or(() -> ItemFormat.ofFileName(file.toString()))
                .orElseThrow(() -> new ParameterException(spec.commandLine(), ItemFormat.unknownFormat(file)));
        DhtClient client = node.client();
        Loader loader =
                map.map(name -> Loader.ifAbsent(client, name, parallel)).orElseGet(() -> new Loader(client, parallel));
        boolean isStandardInput = file.equals(Path.of("-"));
        long total = isStandardInput || !Files.isRegularFile(file) ? -1 : Files.size(file);
        long start = System.nanoTime();
        Loader.Result result;
        try (InputStream in = isStandardInput ? console.in() : Files.newInputStream(file);
                TerminalProgress progress = TerminalProgress.show(console, "load", total, " KiB", KIB)) {
            result = loader.load(in, isStandardInput ? "standard input" : file.toString(), lines, progress::at);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        console.out()
                .printf(
                        "%s %s in %.1f s (%,.0f/s)%n",
                        ifAbsent ? "set" : "loaded",
                        Messages.entries(result.written()),
                        seconds,
                        result.written() / seconds);
        if (ifAbsent) {
            console.out().printf("left %,d as they were: there already%n", result.present());
        }
        if (result.expired() > 0) {
            console.out().printf("left out %,d whose time was over%n", result.expired());
        }
        return 0;
    }
}
