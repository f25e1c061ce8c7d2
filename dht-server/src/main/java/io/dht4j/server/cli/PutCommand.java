package io.dht4j.server.cli;

import io.dht4j.Key;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.options.KeyArgument;
import io.dht4j.server.cli.options.KeyPolicyOptions;
import io.dht4j.server.cli.options.TargetNodeOptions;
import io.dht4j.server.cli.options.WholeNumber;
import io.dht4j.server.client.AskedPolicy;
import io.dht4j.server.client.BackOff;
import io.dht4j.server.client.ClientException;
import io.dht4j.server.client.DhtClient;
import io.dht4j.spi.FileFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

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

    private final Console console;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Mixin
    private final KeyArgument key = new KeyArgument();

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "VALUE",
            description = "The value as text, or - for standard input.")
    private Optional<String> value = Optional.empty();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Takes the value from a file (- for standard input).")
    private Optional<Path> file = Optional.empty();

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
        this.console = console;
        this.node = new TargetNodeOptions(console);
    }

    @Override
    public Integer call() throws IOException, ClientException {
        if (value.isPresent() == file.isPresent()) {
            throw new ParameterException(
                    spec.commandLine(), "give the value either as VALUE (- for standard input) or with --file");
        }
        Key target = key.key();
        DhtClient client = node.client();
        OptionalLong ttlMillis = ttl.isPresent() ? OptionalLong.of(ttl.get()) : OptionalLong.empty();
        AskedPolicy asked = policy.policy();
        byte[] bytes = bytes();
        BackOff.whileOverloaded(() -> DhtClient.await(client.put(target, bytes, asked, ttlMillis)));
        return 0;
    }

    private byte[] bytes() throws IOException, ClientException {
        if (file.isPresent() && !file.get().equals(Path.of("-"))) {
            try (InputStream in = Files.newInputStream(file.get())) {
                return bounded(in, file.get().toString());
            }
        }
        String text = value.orElse("-");
        return text.equals("-") ? bounded(console.in(), "standard input") : text.getBytes(StandardCharsets.UTF_8);
    }

    /** Reads to the end, which a device may not have. */
    private static byte[] bounded(InputStream in, String name) throws IOException, ClientException {
        byte[] bytes;
        try {
            bytes = in.readNBytes(DhtClient.MAX_VALUE_BYTES + 1);
        } catch (IOException e) {
            throw new IOException(name + ": " + FileFailure.inWords(e), e);
        }
        if (bytes.length > DhtClient.MAX_VALUE_BYTES) {
            throw new ClientException(name + " has more than " + DhtClient.MAX_VALUE_BYTES
                    + " bytes, the most that a value may have here");
        }
        return bytes;
    }
}
