package io.dht4j.server.cli;

import io.dht4j.AtomicMap;
import io.dht4j.KeyRange;
import io.dht4j.ScanScope;
import io.dht4j.server.backup.SnapshotInfo;
import io.dht4j.server.backup.SnapshotReader;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.Messages;
import io.dht4j.server.cli.console.TerminalProgress;
import io.dht4j.server.cli.options.PolicyOptions;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.cli.options.WholeNumber;
import io.dht4j.server.client.AskedPolicy;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import io.dht4j.server.client.Loader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes a snapshot into a cluster. */
@Command(
        name = "restore",
        mixinStandardHelpOptions = true,
        header = "Writes a snapshot into a cluster.%n",
        description = {
            "%nThe cluster may have another size and another placement. The command verifies the whole snapshot "
                    + "before it writes the first entry, and refuses a damaged one. Entries get new versions; "
                    + "expired ones are left out.%n",
            "  dht restore --in monday",
            "  dht restore --in monday --check%n"
        })
final class RestoreCommand implements Callable<Integer> {

    private static final int KIB = 1 << 10;

    private final Console console;

    @Option(
            names = {"-i", "--in"},
            paramLabel = "DIR",
            required = true,
            description = "The snapshot's directory.")
    private Path in = Path.of("");

    @Option(
            names = "--merge",
            description =
                    "Writes into a cluster that has entries; they stay, except for keys of the snapshot. Without it "
                            + "such a cluster is refused.")
    private boolean merge;

    @Option(names = "--check", description = "Verifies the snapshot and writes nothing.")
    private boolean check;

    @Option(
            names = {"-p", "--parallel"},
            paramLabel = "N",
            defaultValue = "64",
            converter = WholeNumber.Parallel.class,
            description = "Requests in flight, 1 to 1024. Default: ${DEFAULT-VALUE}.")
    private int parallel;

    @Mixin
    private final PolicyOptions policy = new PolicyOptions();

    @Mixin
    private final TargetNodeOptions node;

    RestoreCommand(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws IOException, ClientException, InterruptedException {
        AskedPolicy asked = policy.policy();
        DhtClient client = node.client();
        SnapshotReader snapshot;
        try (TerminalProgress progress = TerminalProgress.show(console, "verify", -1, " KiB", KIB)) {
            snapshot = SnapshotReader.verified(in, progress::at);
        }
        SnapshotInfo info = snapshot.info();
        if (check) {
            console.out()
                    .printf(
                            "snapshot of %s (version %s) is undamaged: %s, %s%n",
                            info.time(),
                            info.cut(),
                            Messages.entries(info.entries()),
                            Messages.count(info.bytes(), "byte", "bytes"));
            return 0;
        }
        if (!merge) {
            requireEmpty(client);
        }
        restore(client, asked, snapshot, info);
        return 0;
    }

    private static void requireEmpty(DhtClient client) throws IOException, ClientException {
        for (KeyRange range : List.of(KeyRange.all(), AtomicMap.KEYS)) {
            try (InputStream first =
                    BackOff.whileOverloaded(() -> client.scan(range, OptionalLong.of(1), ScanScope.CLUSTER))) {
                if (first.read() >= 0) {
                    throw new ClientException(
                            "the cluster has entries already; --merge writes the snapshot's entries over them");
                }
            }
        }
    }

    private void restore(DhtClient client, AskedPolicy asked, SnapshotReader snapshot, SnapshotInfo info)
            throws IOException, ClientException, InterruptedException {
        long start = System.nanoTime();
        Loader.Result result;
        try (TerminalProgress progress = TerminalProgress.show(console, "restore", info.fileBytes(), " KiB", KIB)) {
            result = Loader.ofSnapshot(client, parallel, asked).load(snapshot.items(), progress::at);
        } catch (ClientException e) {
            throw new ClientException(
                    "the cluster has a part of the snapshot only; restore it again with --merge: " + e.getMessage());
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        console.out()
                .printf(
                        "restored the snapshot of %s (version %s): %s in %.1f s (%,.0f/s)%n",
                        info.time(),
                        info.cut(),
                        Messages.entries(result.written()),
                        seconds,
                        result.written() / seconds);
        if (result.expired() > 0) {
            console.out().printf("left out %,d whose time was over%n", result.expired());
        }
    }
}
