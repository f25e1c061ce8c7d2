package io.dht4j.server.cli.atomic;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.RequestId;
import io.dht4j.Version;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.client.ClientException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Removes an atomic key. */
@Command(
        name = "delete",
        mixinStandardHelpOptions = true,
        header = "Removes the value or counter of an atomic key.%n",
        description = {
            "%nAn absent key is no failure, unless it is to have a version. If the condition does not hold, nothing "
                    + "changes, and the exit code is 4.%n"
        })
final class AtomicDeleteCommand implements Callable<Integer> {

    @Mixin
    private final AtomicTarget target;

    @Option(
            names = "--if-version",
            paramLabel = "N",
            converter = ExpectedVersion.class,
            description = ExpectedVersion.DESCRIPTION)
    private Optional<Version> ifVersion = Optional.empty();

    @Option(
            names = "--request-id",
            paramLabel = "ID",
            converter = OperationId.class,
            description = OperationId.DESCRIPTION)
    private Optional<RequestId> requestId = Optional.empty();

    AtomicDeleteCommand(Console console) {
        this.target = new AtomicTarget(console);
    }

    @Override
    public Integer call() throws IOException, ClientException {
        AtomicResult result =
                target.execute(() -> ifVersion.map(AtomicChange::remove).orElseGet(AtomicChange::remove), requestId);
        return result.isDone() ? 0 : target.conditionFailed(result, ifVersion);
    }
}
