package io.dht4j.lab;

import io.dht4j.spi.Transport;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** A candidate whose failures name its class, and whose calls that may block have a bound. Its name is read once. */
final class GuardedTransportCandidate implements TransportCandidate {

    private final TransportCandidate candidate;
    private final Guard guard;
    private final String name;

    GuardedTransportCandidate(TransportCandidate candidate, Duration bound) {
        this.candidate = candidate;
        this.guard = new Guard(candidate.getClass(), bound);
        this.name = guard.name(candidate::name);
    }

    /** Returns the class of the candidate itself. */
    String className() {
        return guard.type().getName();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Transport at(String address) {
        return new GuardedTransport(
                guard.callBounded("at(\"" + address + "\")", () -> candidate.at(address)), guard.bound());
    }

    @Override
    public Optional<Echo> echo(int inFlight) {
        return guard.callBounded("echo(" + inFlight + ")", () -> candidate.echo(inFlight))
                .map(echo -> new GuardedEcho(echo, guard.bound()));
    }

    private static final class GuardedEcho implements Echo {

        private final Echo echo;
        private final Guard guard;

        GuardedEcho(Echo echo, Duration bound) {
            this.echo = echo;
            this.guard = new Guard(echo.getClass(), bound);
        }

        /** Does not allocate unless the candidate breaks its contract, since it is on the measured path. */
        @Override
        public CompletionStage<byte[]> call(byte[] request) {
            @Nullable CompletionStage<byte[]> reply;
            try {
                reply = echo.call(request);
            } catch (RuntimeException | Error e) {
                return CompletableFuture.failedFuture(guard.threw("call(request)", e));
            }
            return reply == null
                    ? CompletableFuture.failedFuture(
                            new CandidateException(guard.type().getName() + ".call(request) returned null"))
                    : reply;
        }

        @Override
        public void close() {
            guard.runBounded("close()", echo::close);
        }
    }
}
