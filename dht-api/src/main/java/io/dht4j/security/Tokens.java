package io.dht4j.security;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The tokens that a public API accepts, as their file says now. The file is looked at every second; one that cannot be read
 * or has a bad line leaves the last good one in use, and is told to {@code warnings} once.
 *
 * <p>The file is text, a token a line: scopes with commas between, a space, the token; {@code #} begins a comment.
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
@SuppressWarnings("DoNotCallSuggester")
public final class Tokens implements AutoCloseable {

    private Tokens() {}

    /**
     * Reads the file. Blocks.
     *
     * @param file where it is
     * @param warnings takes a line, without secrets, when the file was read anew or could not be; called on the own thread
     * @return what it says
     * @throws IllegalArgumentException if it is missing or has a bad line; the message names file and line, not the token
     */
    public static Tokens load(Path file, Consumer<String> warnings) {
        throw new UnsupportedOperationException(file + " " + warnings);
    }

    /**
     * Lets a request pass or not. Does not block.
     *
     * @param token as the request carries it, if it does
     * @param scope what it needs; {@link Scope#ADMIN} is enough for each
     * @throws io.dht4j.InvalidRequestException with {@link io.dht4j.ErrorCode#UNAUTHENTICATED} if there is no token or an unknown one, with
     *     {@link io.dht4j.ErrorCode#PERMISSION_DENIED} if its scopes are too small; the message says what is needed and
     *     never shows the token
     */
    public void require(Optional<String> token, Scope scope) {
        throw new UnsupportedOperationException(token.isPresent() + " " + scope);
    }

    /** Stops looking at the file. May be called repeatedly. */
    @Override
    public void close() {}
}
