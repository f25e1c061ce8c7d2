package io.dht4j.security;

import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The tokens of a public API, from a file that is reloaded after changes. The file is read twice a second, and a new
 * content is used once two reads have returned it, within about a second of the change. If the file is unreadable or
 * has an invalid line, the last valid content stays in use, and one warning is issued.
 *
 * <p>The file is text with one token per line: scopes separated by commas, spaces, the token. {@code #} at the
 * beginning of a line or after a space begins a comment. The file has at least one token, at most 10,000 lines and at
 * most 1 MiB.
 *
 * <pre>
 * read        7hCq...
 * read,write  sha256:9f86d081...
 * admin       Zk1x...
 * </pre>
 *
 * A token has 16 to 512 characters of printable ASCII without spaces. A line may contain the hexadecimal SHA-256 of the
 * token instead. Tokens are compared in constant time.
 *
 * <p>Safe for use by any number of threads. Owns a daemon thread until it is closed.
 */
public final class Tokens implements AutoCloseable {

    private static final int MAX_LENGTH = 512;

    private final Watched<List<TokenFile.Entry>> watched;

    private Tokens(Watched<List<TokenFile.Entry>> watched) {
        this.watched = watched;
    }

    /**
     * Reads the file. Blocks.
     *
     * @param file the path
     * @param warnings takes lines without secrets when the file was reloaded or could not be; called on the own thread
     * @return the tokens
     * @throws IllegalArgumentException if the file is missing or has an invalid line; the message names file and line,
     *     without the token
     */
    public static Tokens load(Path file, Consumer<String> warnings) {
        return load(file, warnings, Watched.LOOK_EVERY_MILLIS);
    }

    /** Reads the file, with the interval of a test. */
    static Tokens load(Path file, Consumer<String> warnings, long lookEveryMillis) {
        return new Tokens(Watched.start(
                "dht4j-token-file",
                Map.of(file, "the file of tokens"),
                (contents, before) -> TokenFile.parse(file, contents.of(file)),
                warnings,
                lookEveryMillis));
    }

    /**
     * Checks the token of a request. Does not block.
     *
     * @param token the token in the request, if any
     * @param scope the required scope; {@link Scope#ADMIN} includes all others
     * @throws io.dht4j.InvalidRequestException with {@link io.dht4j.ErrorCode#UNAUTHENTICATED} if there is no token or
     *     an unknown one, with {@link io.dht4j.ErrorCode#PERMISSION_DENIED} if its scopes are insufficient; the message
     *     names the required scope and never contains the token
     */
    public void require(Optional<String> token, Scope scope) {
        if (token.isEmpty()) {
            throw new InvalidRequestException(
                    ErrorCode.UNAUTHENTICATED, "a token of scope " + name(scope) + " is needed, and none was sent");
        }
        Set<Scope> scopes = scopes(token.get());
        if (scopes.isEmpty()) {
            throw new InvalidRequestException(
                    ErrorCode.UNAUTHENTICATED,
                    "a token of scope " + name(scope) + " is needed, and this one is unknown");
        }
        if (!scopes.contains(scope) && !scopes.contains(Scope.ADMIN)) {
            throw new InvalidRequestException(
                    ErrorCode.PERMISSION_DENIED,
                    "a token of scope " + name(scope) + " is needed, and this one has "
                            + scopes.stream().map(Tokens::name).collect(Collectors.joining(",")));
        }
    }

    /** Stops watching the file. May be called repeatedly. */
    @Override
    public void close() {
        watched.close();
    }

    /** Reads the file now, as the own thread does twice a second. */
    void look() {
        watched.look();
    }

    /**
     * Returns the scopes of a token. It is compared with every entry, so that the time reveals neither a matching
     * prefix nor the matching entry.
     */
    private Set<Scope> scopes(String token) {
        Set<Scope> scopes = EnumSet.noneOf(Scope.class);
        if (token.length() > MAX_LENGTH) {
            return scopes;
        }
        byte[] presented = Contents.sha256().digest(token.getBytes(StandardCharsets.UTF_8));
        for (TokenFile.Entry entry : watched.current()) {
            if (MessageDigest.isEqual(entry.digest(), presented)) {
                scopes.addAll(entry.scopes());
            }
        }
        return scopes;
    }

    private static String name(Scope scope) {
        return scope.name().toLowerCase(Locale.ROOT);
    }
}
