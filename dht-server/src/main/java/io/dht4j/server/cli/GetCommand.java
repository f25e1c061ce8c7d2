package io.dht4j.server.cli;

import io.dht4j.Key;
import io.dht4j.PrintableText;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.OutputFile;
import io.dht4j.server.cli.options.KeyArgument;
import io.dht4j.server.cli.options.KeyPolicyOptions;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.client.AskedPolicy;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

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

    private final Console console;

    @Mixin
    private final KeyArgument key = new KeyArgument();

    @Option(
            names = {"-o", "--out"},
            paramLabel = "FILE",
            description = "Writes the value to a file. An absent key leaves the file as it is.")
    private Optional<Path> out = Optional.empty();

    @Mixin
    private final KeyPolicyOptions policy = new KeyPolicyOptions();

    @Mixin
    private final TargetNodeOptions node;

    GetCommand(Console console) {
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws IOException, ClientException {
        Key target = key.key();
        AskedPolicy asked = policy.policy();
        DhtClient client = node.client();
        byte[] value = BackOff.whileOverloaded(() -> DhtClient.await(client.get(target, asked)))
                .orElseThrow(() -> new ClientException("not found: " + target));
        if (out.isPresent()) {
            try (OutputFile output = OutputFile.open(out.get())) {
                output.stream().write(value);
                output.commit();
            }
            return 0;
        }
        if (console.outIsTerminal()) {
            console.out().println(PrintableText.lines(text(value)));
        } else {
            console.out().write(value);
        }
        console.out().flush();
        return 0;
    }

    private static String text(byte[] value) throws ClientException {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new ClientException("the value, " + value.length
                    + " bytes, is not text for a terminal; --out FILE or a pipe gets its bytes");
        }
    }
}
