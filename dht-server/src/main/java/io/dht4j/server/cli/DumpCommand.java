package io.dht4j.server.cli;

import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.EntryPrinter;
import io.dht4j.server.cli.console.Messages;
import io.dht4j.server.cli.console.OutputFile;
import io.dht4j.server.cli.console.TerminalProgress;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import io.dht4j.server.client.ItemFormat;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Writes every entry to a file. */
@Command(
        name = "dump",
        mixinStandardHelpOptions = true,
        header = "Writes every entry of the cluster to a file.%n",
        description = {
            "%nThe entries have the order of the keys, in a format of load. Only ndjson keeps expiry times. A dump "
                    + "is no snapshot: it may contain or lack entries written while it runs.%n",
            "  dht dump --out backup.ndjson",
            "  dht dump --format tsv | sort -t $'\\t' -k 2%n"
        })
final class DumpCommand implements Callable<Integer> {

    private final Console console;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Option(
            names = {"-o", "--out"},
            paramLabel = "FILE",
            description = "The file, which appears when the dump is complete. Default: standard output.")
    private Optional<Path> out = Optional.empty();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "tsv or ndjson. Default: by the file's name (.tsv, .tab, .ndjson, .jsonl); ndjson for "
                    + "standard output.")
    private Optional<ItemFormat> format = Optional.empty();

    @Mixin
    private final TargetNodeOptions node;

    DumpCommand(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws IOException, ClientException {
        if (out.isEmpty()) {
            dump(node.client(), format.orElse(ItemFormat.NDJSON), console.out(), console.outIsTerminal());
            return 0;
        }
        Path file = out.get();
        OutputFile.refuseDirectory(file);
        ItemFormat lines = format.or(() -> ItemFormat.ofFileName(file.toString()))
                .orElseThrow(() -> new ParameterException(spec.commandLine(), ItemFormat.unknownFormat(file)));
        DhtClient client = node.client();
        try (OutputFile output = OutputFile.open(file)) {
            dump(client, lines, output.stream(), false);
            output.commit();
        }
        return 0;
    }

    private void dump(DhtClient client, ItemFormat lines, OutputStream stream, boolean isShown)
            throws IOException, ClientException {
        long start = System.nanoTime();
        long entries;
        // Entries on the terminal itself are their own progress.
        Console watching =
                isShown ? new Console(console.in(), console.out(), console.err(), true, false, Map.of()) : console;
        OutputStream buffered = new BufferedOutputStream(stream, 64 << 10);
        try (InputStream scan = BackOff.whileOverloaded(
                        () -> client.scan(KeyRange.all(), OptionalLong.empty(), ScanScope.CLUSTER));
                TerminalProgress progress = TerminalProgress.show(watching, "dump", -1, "", 1)) {
            entries = EntryPrinter.copy(scan, lines, buffered, isShown, progress::at);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        console.err().printf("dumped %s in %.1f s (%,.0f/s)%n", Messages.entries(entries), seconds, entries / seconds);
    }
}
