package io.dht4j.security;

import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * The tokens that a public API accepts, as their file says now. The file is read twice a second, and a change counts
 * once two looks have found the same: within about a second. A file that cannot be read or has a bad line leaves the
 * last good one in use, and is told to {@code warnings} once.
 *
 * <p>The file is text, a token a line: scopes with commas between, spaces, the token; {@code #} at the beginning of a
 * line or after a space begins a comment. It has at least one token, at most 10,000 lines and at most 1 MiB.
 *
 * <pre>
 * read        7hCq...
 * read,write  sha256:9f86d081...
 * admin       Zk1x...
 * </pre>
 *
 * A token has 16 to 512 characters of printable ASCII without spaces; in place of it may stand the SHA-256 of it in
 * hexadecimal. Tokens are compared in constant time.
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
     * @param file where it is
     * @param warnings takes a line, without secrets, when the file was read again or could not be; called on the own
     *     thread
     * @return what it says
     * @throws IllegalArgumentException if it is missing or has a bad line; the message names file and line, not the
     *     token
     */
    public static Tokens load(Path file, Consumer<String> warnings) {
        return load(file, warnings, Watched.LOOK_EVERY_MILLIS);
    }

    /** With looks as rare as a test wants them. */
    static Tokens load(Path file, Consumer<String> warnings, long lookEveryMillis) {
        return new Tokens(Watched.start(
                "dht4j-token-file",
                List.of(file),
                (contents, before) -> TokenFile.parse(file, contents.of(file)),
                warnings,
                lookEveryMillis));
    }

    /**
     * Lets a request pass or not. Does not block.
     *
     * @param token as the request carries it, if it does
     * @param scope what it needs; {@link Scope#ADMIN} is enough for each
     * @throws io.dht4j.InvalidRequestException with {@link io.dht4j.ErrorCode#UNAUTHENTICATED} if there is no token or
     *     an unknown one, with {@link io.dht4j.ErrorCode#PERMISSION_DENIED} if its scopes are too small; the message
     *     says what is needed and never shows the token
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

    /** Stops looking at the file. May be called repeatedly. */
    @Override
    public void close() {
        watched.close();
    }

    /** Looks at the file now, as the own thread does twice a second. */
    void look() {
        watched.look();
    }

    /** Compares with all, so that the time tells neither how much of a token was right nor which it was. */
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
