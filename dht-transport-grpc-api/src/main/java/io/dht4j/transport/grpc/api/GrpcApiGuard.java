package io.dht4j.transport.grpc.api;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.security.Scope;
import io.dht4j.security.Tokens;
import io.grpc.Metadata;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Admits calls whose token allows them; without a file of tokens, all calls. */
final class GrpcApiGuard implements AutoCloseable {

    static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private static final String SCHEME = "Bearer ";

    private final Optional<Tokens> tokens;
    private final AtomicInteger changes = new AtomicInteger();
    private volatile Runnable changed = () -> {};

    /**
     * Reads the file, if there is one. Blocks.
     *
     * @param warnings takes a line when the file was read again or could not be
     * @throws IllegalArgumentException if it is missing or has a bad line
     */
    GrpcApiGuard(Optional<Path> file, Consumer<String> warnings) {
        this.tokens = file.map(path -> Tokens.load(path, line -> {
            warnings.accept(line);
            changes.incrementAndGet();
            changed.run();
        }));
    }

    /** Runs an action whenever the file was read again, on a thread of its own. */
    void onChange(Runnable action) {
        changed = action;
    }

    /** Returns how often the file was read again. */
    int changes() {
        return changes.get();
    }

    /** Returns the token of a call, if it carries exactly one. */
    static Optional<String> token(Metadata headers) {
        Iterable<String> values = headers.getAll(AUTHORIZATION);
        Iterator<String> each = values == null ? Collections.emptyIterator() : values.iterator();
        if (!each.hasNext()) {
            return Optional.empty();
        }
        String value = each.next();
        return value.regionMatches(true, 0, SCHEME, 0, SCHEME.length()) && !each.hasNext()
                ? Optional.of(value.substring(SCHEME.length()))
                : Optional.empty();
    }

    /**
     * Admits a call, or refuses it, as {@link Tokens#require} does.
     *
     * @param scope the required scope; empty if any known token is enough
     */
    void require(Optional<String> token, Optional<Scope> scope) {
        if (scope.isPresent()) {
            require(token, scope.get());
        } else {
            requireAny(token);
        }
    }

    private void require(Optional<String> token, Scope scope) {
        tokens.ifPresent(known -> known.require(token, scope));
    }

    private void requireAny(Optional<String> token) {
        try {
            require(token, Scope.READ);
        } catch (DhtException e) {
            if (e.code() != ErrorCode.PERMISSION_DENIED) {
                throw e;
            }
            require(token, Scope.WRITE);
        }
    }

    @Override
    public void close() {
        tokens.ifPresent(Tokens::close);
    }
}
