package io.dht4j.transport.http.internal.api;

import io.dht4j.DhtException;
import io.dht4j.security.Scope;
import io.dht4j.security.TokenGuard;
import java.util.List;
import java.util.function.Consumer;

/**
 * Checks the token of a request in progress, which may be revoked during the request. Belongs to the request's event
 * loop.
 */
final class TokenCheck {

    private final TokenGuard guard;
    private final List<String> authorization;
    private final Scope scope;
    private Consumer<DhtException> whenRevoked = TokenCheck::ignore;

    private TokenCheck(TokenGuard guard, List<String> authorization, Scope scope) {
        this.guard = guard;
        this.authorization = authorization;
        this.scope = scope;
    }

    /**
     * Returns the check of a token that allows a scope now.
     *
     * @param authorization the values of the request's header {@code Authorization}
     * @throws DhtException if it does not
     */
    static TokenCheck passed(TokenGuard guard, List<String> authorization, Scope scope) {
        guard.require(authorization, scope);
        return new TokenCheck(guard, authorization, scope);
    }

    /** Sets the action to run when the token is revoked. */
    void whenRevoked(Consumer<DhtException> action) {
        whenRevoked = action;
    }

    /** Runs the action if the token allows its scope no longer. */
    void recheck() {
        try {
            guard.require(authorization, scope);
        } catch (DhtException e) {
            whenRevoked.accept(e);
        }
    }

    /** Ignores later revocations of the token, since the answer has been given. */
    void end() {
        whenRevoked = TokenCheck::ignore;
    }

    private static void ignore(DhtException revoked) {}
}
