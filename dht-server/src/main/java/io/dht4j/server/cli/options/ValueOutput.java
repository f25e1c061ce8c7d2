package io.dht4j.server.cli.options;

import io.dht4j.PrintableText;
import io.dht4j.server.cli.console.Console;
import io.dht4j.server.cli.console.OutputFile;
import io.dht4j.server.client.ClientException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Where a command writes a value. */
public final class ValueOutput {

    private final Console console;

    @Option(
            names = {"-o", "--out"},
            paramLabel = "FILE",
            description = "Writes the value to a file. An absent key leaves the file as it is.")
    private Optional<Path> out = Optional.empty();

    /**
     * Creates the output of a command.
     *
     * @param console has standard output
     */
    public ValueOutput(Console console) {
        this.console = console;
    }

    /**
     * Writes a value. Blocks.
     *
     * @param value its bytes
     * @throws IOException if it cannot be written
     * @throws ClientException if a terminal cannot show it
     */
    public void write(byte[] value) throws IOException, ClientException {
        if (out.isPresent()) {
            try (OutputFile output = OutputFile.open(out.get())) {
                output.stream().write(value);
                output.commit();
            }
            return;
        }
        if (console.outIsTerminal()) {
            console.out().println(PrintableText.lines(text(value)));
        } else {
            console.out().write(value);
        }
        console.out().flush();
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
