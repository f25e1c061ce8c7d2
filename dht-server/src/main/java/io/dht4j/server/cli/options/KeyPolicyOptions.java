package io.dht4j.server.cli.options;

import io.dht4j.Ordering;
import io.dht4j.server.client.AskedPolicy;
import java.util.Locale;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options for the number of a key's replicas that must answer, and for the order of the operations on it. */
public final class KeyPolicyOptions {

    @Mixin
    private final PolicyOptions replicas = new PolicyOptions();

    @Option(
            names = "--ordering",
            paramLabel = "NAME",
            converter = Orderings.class,
            description =
                    "real-time, or linearizable, which needs 2 * A > F and costs one more round trip. Default: the "
                            + "cluster's.")
    private Optional<Ordering> ordering = Optional.empty();

    /**
     * Returns the policy.
     *
     * @throws ParameterException if no cluster could have it
     */
    public AskedPolicy policy() {
        AskedPolicy asked = replicas.policy();
        return new AskedPolicy(asked.ack(), asked.from(), ordering);
    }

    /** Reads the names of orders. */
    static final class Orderings implements ITypeConverter<Ordering> {

        @Override
        public Ordering convert(String text) {
            for (Ordering ordering : Ordering.values()) {
                if (ordering.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(text)) {
                    return ordering;
                }
            }
            throw new TypeConversionException("no ordering is named " + text);
        }
    }
}
