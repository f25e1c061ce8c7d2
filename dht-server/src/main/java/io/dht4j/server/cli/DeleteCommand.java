package io.dht4j.server.cli;

import io.dht4j.Key;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.KeyArgument;
import io.dht4j.server.cli.options.KeyPolicyOptions;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.client.AskedPolicy;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Deletes a key. */
@Command(
        name = "delete",
        mixinStandardHelpOptions = true,
        header = "Deletes a key.%n",
        description = "%nAn absent key is no failure.%n")
final class DeleteCommand implements Callable<Integer> {

    @Mixin
    private final KeyArgument key = new KeyArgument();

    @Mixin
    private final KeyPolicyOptions policy = new KeyPolicyOptions();

    @Mixin
    private final TargetNodeOptions node;

    DeleteCommand(Console console) {
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws ClientException {
        Key target = key.key();
        AskedPolicy asked = policy.policy();
        DhtClient client = node.client();
        BackOff.whileOverloaded(() -> DhtClient.await(client.delete(target, asked)));
        return 0;
    }
}
