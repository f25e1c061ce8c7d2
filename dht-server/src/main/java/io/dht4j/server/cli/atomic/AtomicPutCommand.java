package io.dht4j.server.cli.atomic;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.ValueArgument;
import io.dht4j.server.cli.options.WholeNumber;
import io.dht4j.server.client.ClientException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Sets the value of an atomic key. */
@Command(
        name = "put",
        mixinStandardHelpOptions = true,
        header = "Sets the value of an atomic key.%n",
        description = {
            "%nThe value is the argument as UTF-8, or the unchanged bytes of a file or of standard input. If the "
                    + "condition does not hold, nothing changes, and the exit code is 4.%n"
        })
final class AtomicPutCommand implements Callable<Integer> {

    private final Console console;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Mixin
    private final AtomicTarget target;

    @Mixin
    private final ValueArgument value;

    @Option(
            names = "--ttl",
            paramLabel = "MILLIS",
            converter = WholeNumber.TimeToLive.class,
            description = "Time to live, at least 1. Default: the value never expires.")
    private Optional<Long> ttl = Optional.empty();

    @Option(names = "--if-absent", description = "Only if the key has nothing.")
    private boolean ifAbsent;

    @Option(
            names = "--if-version",
            paramLabel = "N",
            converter = ExpectedVersion.class,
            description = ExpectedVersion.DESCRIPTION)
    private Optional<Version> ifVersion = Optional.empty();

    @Option(names = "--show-version", description = "Prints the version that the key gets.")
    private boolean showVersion;

    @Option(
            names = "--request-id",
            paramLabel = "ID",
            converter = OperationId.class,
            description = OperationId.DESCRIPTION)
    private Optional<RequestId> requestId = Optional.empty();

    AtomicPutCommand(Console console) {
        this.console = console;
        this.target = new AtomicTarget(console);
        this.value = new ValueArgument(console);
    }

    @Override
    public Integer call() throws IOException, ClientException {
        if (ifAbsent && ifVersion.isPresent()) {
            throw new ParameterException(
                    spec.commandLine(), "--if-absent and --if-version cannot both hold: give one of them");
        }
        value.requireOne();
        AtomicResult result = target.execute(this::change, requestId);
        if (!result.isDone()) {
            return target.conditionFailed(result, ifVersion);
        }
        if (showVersion) {
            console.show(result.version().toString());
        }
        return 0;
    }

    private AtomicChange change() throws IOException, ClientException {
        byte[] bytes = value.read(AtomicChange.MAX_VALUE_BYTES, "the value of an atomic key may have");
        long ttlMillis = ttl.orElse(0L);
        if (ifAbsent) {
            return AtomicChange.putIfAbsent(bytes, ttlMillis);
        }
        return ifVersion
                .map(version -> AtomicChange.replace(version, bytes, ttlMillis))
                .orElseGet(() -> AtomicChange.put(bytes, ttlMillis));
    }
}
