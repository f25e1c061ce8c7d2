package io.dht4j.server.cli.options;

import io.dht4j.server.cli.console.Console;
import io.dht4j.server.client.ClientException;
import io.dht4j.spi.FileFailure;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The value argument of a command, or the file that has the value. */
public final class ValueArgument {

    private final Console console;

    @Spec(Spec.Target.MIXEE)
    @SuppressWarnings("NullAway.Init") // picocli sets it before the command runs
    private CommandSpec spec;

    @Parameters(
            index = "0+", // behind that of the key
            arity = "0..1",
            paramLabel = "VALUE",
            description = "The value as text, or - for standard input.")
    private Optional<String> value = Optional.empty();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Takes the value from a file (- for standard input).")
    private Optional<Path> file = Optional.empty();

    /**
     * Creates the argument of a command.
     *
     * @param console has standard input
     */
    public ValueArgument(Console console) {
        this.console = console;
    }

    /**
     * Checks that there is one value.
     *
     * @throws ParameterException if there is none, or are two
     */
    public void requireOne() {
        if (value.isPresent() == file.isPresent()) {
            throw new ParameterException(
                    spec.commandLine(), "give the value either as VALUE (- for standard input) or with --file");
        }
    }

    /**
     * Reads the value. Blocks. A file is read to its end, which a device may not have.
     *
     * @param most how many bytes it may have
     * @param rule the end of the message that refuses a larger one, as in {@code a value may have here}
     * @return the value
     * @throws IOException if it cannot be read
     * @throws ClientException if it is larger
     */
    public byte[] read(int most, String rule) throws IOException, ClientException {
        if (file.isPresent() && !file.get().equals(Path.of("-"))) {
            try (InputStream in = Files.newInputStream(file.get())) {
                return bounded(
                        bytes(in, file.get().toString(), most), file.get().toString(), most, rule);
            }
        }
        String text = value.orElse("-");
        return text.equals("-")
                ? bounded(bytes(console.in(), "standard input", most), "standard input", most, rule)
                : bounded(text.getBytes(StandardCharsets.UTF_8), "VALUE", most, rule);
    }

    private static byte[] bytes(InputStream in, String name, int most) throws IOException {
        try {
            return in.readNBytes(most + 1);
        } catch (IOException e) {
            throw new IOException(name + ": " + FileFailure.inWords(e), e);
        }
    }

    private static byte[] bounded(byte[] bytes, String name, int most, String rule) throws ClientException {
        if (bytes.length > most) {
            throw new ClientException(name + " has more than " + most + " bytes, the most that " + rule);
        }
        return bytes;
    }
}
