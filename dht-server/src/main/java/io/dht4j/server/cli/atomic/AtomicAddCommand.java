package io.dht4j.server.cli.atomic;

import io.dht4j.AtomicChange;
import io.dht4j.AtomicResult;
import io.dht4j.RequestId;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.WholeNumber;
import io.dht4j.server.client.ClientException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Adds to a counter. */
@Command(
        name = "add",
        mixinStandardHelpOptions = true,
        header = "Adds to a counter, and prints its new number.%n",
        description = {"%nA counter is a 64-bit number at an atomic key. It begins at 0, without being created.%n"})
final class AtomicAddCommand implements Callable<Integer> {

    private final Console console;

    @Mixin
    private final AtomicTarget target;

    @Option(
            names = "--delta",
            paramLabel = "N",
            defaultValue = "1",
            converter = WholeNumber.Delta.class,
            description = "What to add; negative to subtract. Default: ${DEFAULT-VALUE}.")
    private long delta;

    @Option(
            names = "--request-id",
            paramLabel = "ID",
            converter = OperationId.class,
            description = OperationId.DESCRIPTION)
    private Optional<RequestId> requestId = Optional.empty();

    AtomicAddCommand(Console console) {
        this.console = console;
        this.target = new AtomicTarget(console);
    }

    @Override
    public Integer call() throws IOException, ClientException {
        AtomicResult result = target.execute(() -> AtomicChange.add(delta), requestId);
        console.show(Long.toString(result.number().orElseThrow()));
        return 0;
    }
}
