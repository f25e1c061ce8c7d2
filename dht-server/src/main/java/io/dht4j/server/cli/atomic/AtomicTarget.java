package io.dht4j.server.cli.atomic;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.Key;
import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.KeyArgument;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The key of an operation, and the nodes to call. */
final class AtomicTarget {

    /** The exit code of an operation whose condition does not hold. */
    static final int CONDITION_FAILED = 4;

    private final Console console;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Mixin
    private final KeyArgument key = new KeyArgument();

    @Option(
            names = "--map",
            paramLabel = "NAME",
            required = true,
            description = "The name of the map of the key: 1 to 255 bytes of UTF-8.")
    private String map = "";

    @Mixin
    private final TargetNodeOptions node;

    AtomicTarget(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    /** Makes a change. */
    @FunctionalInterface
    interface Source {
        AtomicChange change() throws IOException, ClientException;
    }

    /**
     * Executes an operation. Blocks.
     *
     * @param source makes what to do, once the options are checked
     * @param id the id of the operation; empty for a new one
     * @return what it has come to
     * @throws IOException if the change cannot be made
     * @throws ClientException if the operation has failed, or its outcome is unknown
     */
    AtomicResult execute(Source source, Optional<RequestId> id) throws IOException, ClientException {
        Key target = key.key();
        DhtClient client = node.client();
        AtomicChange change = source.change();
        try {
            return BackOff.whileOverloaded(() -> DhtClient.await(client.execute(map, target, change, id)));
        } catch (ClientException e) {
            throw e.isOutcomeUnknown() ? new ClientException(e.getMessage() + remedy(e.requestId())) : e;
        }
    }

    private static String remedy(Optional<RequestId> id) {
        return "; it may be executed or not: "
                + id.map(known ->
                                "repeat the command soon with --request-id " + known + ", so that it is executed once")
                        .orElse("read the key, and decide");
    }

    /**
     * Reports a condition that does not hold.
     *
     * @param result has what the key holds
     * @param expected the version that it was to have; empty if it was to have nothing
     * @return the exit code
     */
    int conditionFailed(AtomicResult result, Optional<Version> expected) {
        String found = result.version().packed() == 0
                ? "holds nothing"
                : expected.map(version -> "has version " + result.version() + ", not " + version)
                        .orElseGet(() -> "is there already, with version " + result.version());
        console.report(spec.qualifiedName() + ": nothing done: " + this + " " + found);
        return CONDITION_FAILED;
    }

    /** Returns the key in words. */
    @Override
    public String toString() {
        return "key " + key.key() + " of map " + map;
    }
}
