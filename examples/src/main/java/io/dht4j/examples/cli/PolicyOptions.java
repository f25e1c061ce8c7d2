package io.dht4j.examples.cli;

import io.dht4j.InvalidRequestException;
import io.dht4j.ReplicationPolicy;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** How many replicas must answer. */
final class PolicyOptions {

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Option(
            names = "--ack",
            paramLabel = "A",
            description = "How many replicas must answer; together with --from. Default: as the cluster is set up, "
                    + "usually 2 of 3.")
    private Optional<Integer> ack = Optional.empty();

    @Option(names = "--from", paramLabel = "F", description = "How many replicas are asked; together with --ack.")
    private Optional<Integer> from = Optional.empty();

    Optional<ReplicationPolicy> policy() {
        if (ack.isPresent() != from.isPresent()) {
            throw new ParameterException(spec.commandLine(), "--ack and --from go together");
        }
        try {
            return ack.map(a -> new ReplicationPolicy(a, from.orElseThrow()));
        } catch (InvalidRequestException e) {
            throw new ParameterException(spec.commandLine(), "--ack, --from: " + e.getMessage(), e);
        }
    }
}
