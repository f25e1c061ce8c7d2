package io.dht4j.server.cli;

import io.dht4j.Key;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.KeyArgument;
import io.dht4j.server.cli.options.KeyPolicyOptions;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.cli.options.ValueArgument;
import io.dht4j.server.cli.options.WholeNumber;
import io.dht4j.server.client.AskedPolicy;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Writes a key. */
@Command(
        name = "put",
        mixinStandardHelpOptions = true,
        header = "Writes a key.%n",
        description = {
            "%nThe value is the argument as UTF-8, or the unchanged bytes of a file or of standard input.%n",
            "  dht put greeting hello",
            "  dht put photo --file photo.jpg",
            "  tar cz src | dht put backup -%n"
        })
final class PutCommand implements Callable<Integer> {

    @Mixin
    private final KeyArgument key = new KeyArgument();

    @Mixin
    private final ValueArgument value;

    @Option(
            names = "--ttl",
            paramLabel = "MILLIS",
            converter = WholeNumber.TimeToLive.class,
            description = "Time to live, at least 1. Default: the value never expires.")
    private Optional<Long> ttl = Optional.empty();

    @Mixin
    private final KeyPolicyOptions policy = new KeyPolicyOptions();

    @Mixin
    private final TargetNodeOptions node;

    PutCommand(Console console) {
        this.value = new ValueArgument(console);
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws IOException, ClientException {
        value.requireOne();
        Key target = key.key();
        DhtClient client = node.client();
        OptionalLong ttlMillis = ttl.isPresent() ? OptionalLong.of(ttl.get()) : OptionalLong.empty();
        AskedPolicy asked = policy.policy();
        byte[] bytes = value.read(DhtClient.MAX_VALUE_BYTES, "a value may have here");
        BackOff.whileOverloaded(() -> DhtClient.await(client.put(target, bytes, asked, ttlMillis)));
        return 0;
    }
}
