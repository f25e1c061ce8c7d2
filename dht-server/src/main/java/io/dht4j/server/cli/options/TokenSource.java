package io.dht4j.server.cli.options;

import io.dht4j.server.cli.console.Messages;
import io.dht4j.server.client.ClientException;
import io.dht4j.spi.PrivateFiles;
import io.dht4j.spi.TextFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** The source of a client's token: a file, or else {@code $DHT_TOKEN}. No message shows a token. */
public final class TokenSource {

    private static final String VARIABLE = "DHT_TOKEN";
    private static final int LONGEST = 512;

    private TokenSource() {}

    /**
     * Reads the token. Blocks.
     *
     * @param file that {@code --token-file} names; empty for the variable
     * @param environment the variables of the process
     * @param warnings receives a line if others may read the file
     * @return the token; empty if there is none
     * @throws ClientException if the file is unreadable, or if file or variable do not contain exactly one token
     */
    public static Optional<String> read(Optional<Path> file, Map<String, String> environment, Consumer<String> warnings)
            throws ClientException {
        if (file.isPresent()) {
            String token = checked("--token-file " + file.get(), read(file.get()));
            PrivateFiles.warnIfOpen("the token", file.get(), warnings);
            return Optional.of(token);
        }
        String variable = environment.getOrDefault(VARIABLE, "");
        return variable.isBlank() ? Optional.empty() : Optional.of(checked("$" + VARIABLE, variable));
    }

    private static String read(Path file) throws ClientException {
        try (InputStream in = Files.newInputStream(file)) {
            // More than the longest token with its line end and a byte order mark, so that a longer one is not
            // truncated.
            return new String(TextFiles.withoutMark(in.readNBytes(LONGEST + 6)), StandardCharsets.UTF_8);
        } catch (FileSystemException e) {
            throw new ClientException("--token-file: " + Messages.of(e));
        } catch (IOException e) {
            throw new ClientException("--token-file " + file + ": " + Messages.of(e));
        }
    }

    /** Checks a token without showing it. */
    private static String checked(String where, String text) throws ClientException {
        String token = text.strip();
        if (!token.matches("[!-~]{1," + LONGEST + "}")) {
            throw new ClientException(where + " must hold one token and nothing else: up to " + LONGEST
                    + " characters of printable ASCII without spaces");
        }
        return token;
    }
}
