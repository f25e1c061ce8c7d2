package io.dht4j.server.cli;

import io.dht4j.InvalidRequestException;
import io.dht4j.Key;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.EntryPrinter;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.cli.options.WholeNumber;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import io.dht4j.server.client.ItemFormat;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows a range of keys. */
@Command(
        name = "scan",
        mixinStandardHelpOptions = true,
        header = "Shows the entries of a range of keys, in order.%n",
        description = {
            "%nKeys are ordered as unsigned bytes. Without a range, all entries are shown. On a terminal control "
                    + "characters are escaped; files and pipes get them unchanged.%n",
            "  dht scan --prefix user: --limit 10",
            "  dht scan --start a --end n --format ndjson%n"
        })
final class ScanCommand implements Callable<Integer> {

    private final Console console;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Option(names = "--start", paramLabel = "KEY", description = "The first key, included. Default: the smallest.")
    private Optional<String> start = Optional.empty();

    @Option(names = "--end", paramLabel = "KEY", description = "The end, not included. Default: after the last key.")
    private Optional<String> end = Optional.empty();

    @Option(names = "--prefix", paramLabel = "TEXT", description = "Only keys that begin with this.")
    private Optional<String> prefix = Optional.empty();

    @Option(
            names = "--limit",
            paramLabel = "N",
            converter = WholeNumber.Limit.class,
            description = "The most entries, at least 1. Default: all.")
    private Optional<Long> limit = Optional.empty();

    @Option(
            names = "--scope",
            paramLabel = "SCOPE",
            defaultValue = "cluster",
            description = "cluster: the newest value of each key. node: the entries of this node's own store. "
                    + "Default: ${DEFAULT-VALUE}.")
    private ScanScope scope = ScanScope.CLUSTER;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            defaultValue = "tsv",
            description = "tsv (key, tabulator, value; with the escapes of load) or ndjson. Default: ${DEFAULT-VALUE}.")
    private ItemFormat format = ItemFormat.TSV;

    @Mixin
    private final TargetNodeOptions node;

    ScanCommand(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws IOException, ClientException {
        OptionalLong most = limit.isPresent() ? OptionalLong.of(limit.get()) : OptionalLong.empty();
        KeyRange range = range();
        OutputStream out = new BufferedOutputStream(console.out(), 64 << 10);
        DhtClient client = node.client();
        try (InputStream entries = BackOff.whileOverloaded(() -> client.scan(range, most, scope))) {
            EntryPrinter.copy(entries, format, out, console.outIsTerminal(), n -> {});
        } finally {
            out.flush();
        }
        return 0;
    }

    private KeyRange range() {
        if (prefix.isPresent()) {
            if (start.isPresent() || end.isPresent()) {
                throw new ParameterException(spec.commandLine(), "--prefix does not go with --start or --end");
            }
            return KeyRange.prefix(key("--prefix", prefix.get()));
        }
        Key first =
                start.isPresent() ? key("--start", start.get()) : KeyRange.all().start();
        Optional<Key> last = end.map(text -> key("--end", text));
        if (last.isPresent() && last.get().compareTo(first) <= 0) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--end must come after --start, as keys are ordered by their bytes: no key is from \"" + first
                            + "\" up to, without, \"" + last.get() + "\"");
        }
        return new KeyRange(first, last);
    }

    private Key key(String option, String text) {
        try {
            return Key.of(text);
        } catch (InvalidRequestException e) {
            throw new ParameterException(spec.commandLine(), option + ": " + e.getMessage(), e);
        }
    }
}
