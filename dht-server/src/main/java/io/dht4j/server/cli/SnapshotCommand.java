package io.dht4j.server.cli;

import io.dht4j.Version;
import io.dht4j.server.backup.SnapshotCopy;
import io.dht4j.server.backup.SnapshotInfo;
import io.dht4j.server.backup.SnapshotWriter;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.Messages;
import io.dht4j.server.cli.console.TerminalProgress;
import io.dht4j.server.cli.options.PolicyOptions;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.client.AskedPolicy;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes the cluster as it is at one version to a directory. */
@Command(
        name = "snapshot",
        mixinStandardHelpOptions = true,
        header = "Writes the whole cluster, as it is at one moment, to a directory.%n",
        description = {
            "%nThe cluster continues to serve. The snapshot has the writes acknowledged before, and none after its "
                    + "moment. restore writes it into a cluster.%n",
            "  dht snapshot --out monday",
            "  dht restore --in monday%n"
        })
final class SnapshotCommand implements Callable<Integer> {

    private final Console console;

    @Option(
            names = {"-o", "--out"},
            paramLabel = "DIR",
            required = true,
            description = "The directory, which must not exist; it appears when the snapshot is complete.")
    private Path out = Path.of("");

    @Mixin
    private final PolicyOptions policy = new PolicyOptions();

    @Mixin
    private final TargetNodeOptions node;

    SnapshotCommand(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws IOException, ClientException, InterruptedException {
        AskedPolicy asked = policy.policy();
        DhtClient client = node.client();
        SnapshotWriter.requireFree(out);
        long start = System.nanoTime();
        Version snapshot = BackOff.whileOverloaded(() -> DhtClient.await(client.openSnapshot(asked)));
        SnapshotInfo info;
        try (SnapshotWriter writer = SnapshotWriter.begin(out, snapshot, SnapshotWriter.FILE_BYTES);
                TerminalProgress progress = TerminalProgress.show(console, "snapshot", -1, "", 1)) {
            new SnapshotCopy(client, snapshot, asked, writer).run(progress::at);
            info = writer.finish();
        } finally {
            close(client, snapshot);
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        console.out()
                .printf(
                        "snapshot of %s (version %s): %s, %s, in %s of %s, %.1f s (%,.0f/s)%n",
                        info.time(),
                        info.cut(),
                        Messages.entries(info.entries()),
                        Messages.count(info.bytes(), "byte", "bytes"),
                        Messages.count(info.files(), "file", "files"),
                        Messages.count(info.fileBytes(), "byte", "bytes"),
                        seconds,
                        info.entries() / seconds);
        return 0;
    }

    /** Closes the snapshot; the nodes remove it in any case, a minute later. */
    private void close(DhtClient client, Version snapshot) {
        try {
            DhtClient.await(client.closeSnapshot(snapshot));
        } catch (ClientException e) {
            console.report("dht snapshot: the nodes forget the snapshot when its lease runs out: " + e.getMessage());
        }
    }
}
