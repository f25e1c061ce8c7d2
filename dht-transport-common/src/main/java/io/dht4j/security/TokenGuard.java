package io.dht4j.security;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Admits requests of a public API that carry a token of sufficient scope; without a file of tokens, all requests. A
 * client's token appears in no message. Safe for use by any number of threads.
 */
public final class TokenGuard implements AutoCloseable {

    private static final String SCHEME = "Bearer ";

    private final Optional<Tokens> tokens;
    private final AtomicInteger changes = new AtomicInteger();
    private volatile Runnable changed = () -> {};

    /**
     * Reads the file, if there is one. Blocks.
     *
     * @param file the file of tokens; empty to admit all requests
     * @param warnings takes a line when the file was read again or could not be
     * @throws IllegalArgumentException if it is missing or has a bad line
     */
    public TokenGuard(Optional<Path> file, Consumer<String> warnings) {
        this.tokens = file.map(path -> Tokens.load(path, line -> {
            warnings.accept(line);
            changes.incrementAndGet();
            changed.run();
        }));
    }

    /**
     * Sets the action that runs whenever the file was read again, on a thread of its own.
     *
     * @param action replaces the one that was set before
     */
    public void onChange(Runnable action) {
        changed = action;
    }

    /**
     * Returns how often the file was read again.
     *
     * @return a number that only grows
     */
    public int changes() {
        return changes.get();
    }

    /**
     * Returns whether tokens are required at all.
     *
     * @return true if there is a file of tokens
     */
    public boolean hasTokens() {
        return tokens.isPresent();
    }

    /**
     * Admits a request, or refuses it.
     *
     * @param authorization the values of its {@code Authorization} header, each as it was sent
     * @param scope the required scope
     * @throws InvalidRequestException if it does not carry exactly one token, or the token does not allow this scope
     */
    public void require(List<String> authorization, Scope scope) {
        if (tokens.isPresent()) {
            tokens.get().require(tokenOf(authorization), scope);
        }
    }

    /**
     * Admits a request whose token is known, regardless of its scope, or refuses it.
     *
     * @param authorization the values of its {@code Authorization} header, each as it was sent
     * @throws InvalidRequestException if it does not carry exactly one token, or the token is unknown
     */
    public void requireAny(List<String> authorization) {
        if (tokens.isEmpty()) {
            return;
        }
        Optional<String> token = tokenOf(authorization);
        try {
            tokens.get().require(token, Scope.READ);
        } catch (DhtException e) {
            if (e.code() != ErrorCode.PERMISSION_DENIED) {
                throw e;
            }
            tokens.get().require(token, Scope.WRITE);
        }
    }

    private static Optional<String> tokenOf(List<String> authorization) {
        if (authorization.isEmpty()) {
            return Optional.empty();
        }
        String header = authorization.get(0);
        if (authorization.size() > 1 || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw new InvalidRequestException(
                    ErrorCode.UNAUTHENTICATED, "Authorization must stand once and be: Bearer, a space, a token");
        }
        return Optional.of(header.substring(SCHEME.length()));
    }

    /** Stops watching the file. */
    @Override
    public void close() {
        tokens.ifPresent(Tokens::close);
    }
}
