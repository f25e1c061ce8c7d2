package io.dht4j.server.cli;

import io.dht4j.Key;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.KeyArgument;
import io.dht4j.server.cli.options.KeyPolicyOptions;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.cli.options.ValueOutput;
import io.dht4j.server.client.AskedPolicy;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Reads a key. */
@Command(
        name = "get",
        mixinStandardHelpOptions = true,
        header = "Reads a key.%n",
        description = {
            "%nWrites the value's bytes unchanged to a file, or to standard output. A terminal shows text only, "
                    + "with control characters escaped and a line feed at the end. The exit code of an absent key "
                    + "is 1.%n"
        })
final class GetCommand implements Callable<Integer> {

    @Mixin
    private final KeyArgument key = new KeyArgument();

    @Mixin
    private final ValueOutput out;

    @Mixin
    private final KeyPolicyOptions policy = new KeyPolicyOptions();

    @Mixin
    private final TargetNodeOptions node;

    GetCommand(Console console) {
        this.out = new ValueOutput(console);
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws IOException, ClientException {
        Key target = key.key();
        AskedPolicy asked = policy.policy();
        DhtClient client = node.client();
        byte[] value = BackOff.whileOverloaded(() -> DhtClient.await(client.get(target, asked)))
                .orElseThrow(() -> new ClientException("not found: " + target));
        out.write(value);
        return 0;
    }
}
