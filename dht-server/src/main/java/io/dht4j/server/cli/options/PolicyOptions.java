package io.dht4j.server.cli.options;

import io.dht4j.InvalidRequestException;
import io.dht4j.server.client.AskedPolicy;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options for the number of replicas that must answer. */
public final class PolicyOptions {

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Option(
            names = "--ack",
            paramLabel = "A",
            converter = WholeNumber.Replicas.class,
            description = "Number of replicas that must answer, 1 to --from. Default: a majority of --from.")
    private Optional<Integer> ack = Optional.empty();

    @Option(
            names = "--from",
            paramLabel = "F",
            converter = WholeNumber.Replicas.class,
            description = "Of how many replicas, 1 to the number of nodes. Default: the replication factor, usually 3.")
    private Optional<Integer> from = Optional.empty();

    /**
     * Returns the policy.
     *
     * @throws ParameterException if no cluster could have it
     */
    public AskedPolicy policy() {
        try {
            return new AskedPolicy(asked(ack), asked(from));
        } catch (InvalidRequestException e) {
            throw new ParameterException(spec.commandLine(), "--ack, --from: " + e.getMessage(), e);
        }
    }

    private static OptionalInt asked(Optional<Integer> number) {
        return number.isPresent() ? OptionalInt.of(number.get()) : OptionalInt.empty();
    }
}
