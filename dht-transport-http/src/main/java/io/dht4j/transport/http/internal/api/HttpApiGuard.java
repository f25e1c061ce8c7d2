package io.dht4j.transport.http.internal.api;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.InvalidRequestException;
import io.dht4j.security.Scope;
import io.dht4j.security.Tokens;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Admits requests that carry a token of sufficient scope; all requests, if there is no file of tokens. A client's token
 * appears in no message. Safe for use by any number of threads.
 */
public final class HttpApiGuard implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(HttpApiGuard.class);
    private static final String SCHEME = "Bearer ";

    private final Optional<Tokens> tokens;

    private HttpApiGuard(Optional<Tokens> tokens) {
        this.tokens = tokens;
    }

    /**
     * Reads the file, if there is one. Blocks.
     *
     * @param changed runs, on a thread of its own, after the file was read again
     * @throws IllegalArgumentException if it is missing or has a bad line
     */
    public static HttpApiGuard of(Optional<Path> file, Runnable changed) {
        return new HttpApiGuard(file.map(path -> Tokens.load(path, line -> {
            LOG.warn(line);
            changed.run();
        })));
    }

    /** Returns whether tokens are required at all. */
    boolean hasTokens() {
        return tokens.isPresent();
    }

    /**
     * Admits a request, or refuses it.
     *
     * @throws InvalidRequestException if its token does not allow this scope
     */
    void require(HttpServerRequest request, Scope scope) {
        tokens.ifPresent(known -> known.require(tokenOf(request), scope));
    }

    /**
     * Admits a request whose token is known, regardless of its scope.
     *
     * @throws InvalidRequestException if it carries none
     */
    void requireAny(HttpServerRequest request) {
        if (tokens.isEmpty()) {
            return;
        }
        Optional<String> token = tokenOf(request);
        try {
            tokens.get().require(token, Scope.READ);
        } catch (DhtException e) {
            if (e.code() != ErrorCode.PERMISSION_DENIED) {
                throw e;
            }
            tokens.get().require(token, Scope.WRITE);
        }
    }

    private static Optional<String> tokenOf(HttpServerRequest request) {
        List<String> headers = request.headers().getAll(HttpHeaders.AUTHORIZATION);
        if (headers.isEmpty()) {
            return Optional.empty();
        }
        String header = headers.get(0);
        if (headers.size() > 1 || !header.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
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
