package io.dht4j.transport.grpc;

import io.dht4j.DhtException;
import io.dht4j.ErrorCode;
import io.dht4j.security.Scope;
import io.dht4j.security.Tokens;
import io.grpc.Metadata;
import java.util.Collections;
import java.util.Iterator;
import java.util.Optional;

/** Lets calls pass whose token allows them; without a file of tokens, all. */
final class GrpcApiGuard implements AutoCloseable {

    static final Metadata.Key<String> AUTHORIZATION =
            Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

    private static final String SCHEME = "Bearer ";

    private final Optional<Tokens> tokens;

    GrpcApiGuard(Optional<Tokens> tokens) {
        this.tokens = tokens;
    }

    /** The token that a call carries, if it carries one and not several. */
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

    void require(Optional<String> token, Scope scope) {
        tokens.ifPresent(known -> known.require(token, scope));
    }

    /** Any known token is enough. */
    void requireAny(Optional<String> token) {
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
