package io.dht4j.lab;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Node;
import io.dht4j.Topology;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.HashFunction;
import io.dht4j.spi.PartitionTable;
import io.dht4j.spi.Placement;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CandidatesTest {

    private static final String TRANSPORT = "io.dht4j.lab.CandidatesTest$Broken";
    private static final CallContext CONTEXT = new CallContext(System::nanoTime, 1_000_000_000L);

    /** Breaks its contract in every method. */
    private static class Broken implements Transport {

        @Override
        public CompletionStage<Void> start(FrameHandler handler) {
            throw new IllegalStateException("no port");
        }

        @Override
        public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
            if (request.length() == 0) {
                return null;
            }
            throw new AssertionError("no wire");
        }

        @Override
        public String name() {
            return null;
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }
    }

    private record Named(String name) implements TransportCandidate {

        @Override
        public Transport at(String address) throws Exception {
            if (address.isEmpty()) {
                throw new java.io.IOException("no address");
            }
            return new Broken();
        }
    }

    private record AnotherNamed(String name) implements TransportCandidate {

        @Override
        public Transport at(String address) {
            return null;
        }

        @Override
        public Optional<Echo> echo(int inFlight) {
            throw new IllegalArgumentException("too many");
        }
    }

    @Test
    void aTransportThatThrowsFailsWithTheNameOfItsClass() throws Exception {
        Transport transport = Candidates.guarded(new Named("mine")).at("127.0.0.1:1");
        Node node = Node.of("n1", "127.0.0.1:1");
        assertThat(failure(transport.start((request, context) -> CompletableFuture.completedFuture(request))))
                .hasMessage(TRANSPORT + ".start(handler) threw java.lang.IllegalStateException: no port");
        assertThat(failure(transport.call(node, Frame.of(new byte[1]), CONTEXT)))
                .hasMessage(TRANSPORT + ".call(node, request, context) threw java.lang.AssertionError: no wire")
                .extracting(TransportException::outcome)
                .isEqualTo(TransportException.Outcome.UNKNOWN);
        assertThat(failure(transport.call(node, Frame.of(new byte[0]), CONTEXT)))
                .hasMessage(TRANSPORT + ".call(node, request, context) returned null");
        assertThatThrownBy(transport::name)
                .isInstanceOf(CandidateException.class)
                .hasMessage(TRANSPORT + ".name() returned null");
        assertThatThrownBy(transport::close)
                .isInstanceOf(CandidateException.class)
                .hasMessage(TRANSPORT + ".close() threw java.lang.UnsupportedOperationException");
    }

    /** Returns from none of the methods before its end, and swallows interrupts. */
    private record Hanging(CountDownLatch end) implements Transport, TransportCandidate, Echo {

        private <T> T hang(T result) {
            while (true) {
                try {
                    end.await();
                    return result;
                } catch (InterruptedException e) {
                    // As the worst of candidates.
                }
            }
        }

        @Override
        public String name() {
            return "mine";
        }

        @Override
        public Transport at(String address) {
            return address.isEmpty() ? hang(this) : this;
        }

        @Override
        public Optional<Echo> echo(int inFlight) {
            return inFlight == 0 ? hang(Optional.empty()) : Optional.of(this);
        }

        @Override
        public CompletionStage<byte[]> call(byte[] request) {
            return CompletableFuture.completedFuture(request);
        }

        @Override
        public CompletionStage<Void> start(FrameHandler handler) {
            return hang(CompletableFuture.completedFuture(null));
        }

        @Override
        public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
            return CompletableFuture.completedFuture(new byte[0]);
        }

        @Override
        public void close() {
            hang(true);
        }
    }

    @Test
    void aCallThatDoesNotReturnIsNamed() throws Exception {
        CountDownLatch end = new CountDownLatch(1);
        String late = " did not return within 0.05 s";
        String type = Hanging.class.getName();
        try {
            TransportCandidate candidate = Candidates.guarded(new Hanging(end), Duration.ofMillis(50));
            Transport transport = candidate.at("127.0.0.1:1");
            Echo echo = candidate.echo(1).orElseThrow();
            assertThat(failure(transport.start((request, context) -> CompletableFuture.completedFuture(request))))
                    .hasMessage(type + ".start(handler)" + late);
            assertThatThrownBy(transport::close).hasMessage(type + ".close()" + late);
            assertThatThrownBy(echo::close).hasMessage(type + ".close()" + late);
            assertThatThrownBy(() -> candidate.at("")).hasMessage(type + ".at(\"\")" + late);
            assertThatThrownBy(() -> candidate.echo(0)).hasMessage(type + ".echo(0)" + late);
        } finally {
            end.countDown();
        }
    }

    @Test
    void aPlacementAndAHashFunctionThatDoNotReturnAreNamed() {
        CountDownLatch end = new CountDownLatch(1);
        Topology topology = Topology.of(Node.of("n1", "127.0.0.1:1"));
        Endless endless = new Endless(end);
        try {
            Placement placement = Candidates.guarded((Placement) endless, Duration.ofMillis(50));
            assertThatThrownBy(() -> placement.assign(topology, 8))
                    .hasMessage(
                            Endless.class.getName() + ".assign(topology of 1 nodes, 8) did not return within 0.05 s");
            assertThatThrownBy(() -> Candidates.guarded((HashFunction) endless, Duration.ofMillis(50)))
                    .hasMessage(Endless.class.getName() + ".hash(3 bytes) did not return within 0.05 s");
        } finally {
            end.countDown();
        }
    }

    private record Endless(CountDownLatch end) implements Placement, HashFunction {

        private void waitForTheEnd() {
            try {
                end.await();
            } catch (InterruptedException e) {
                waitForTheEnd();
            }
        }

        @Override
        public String name() {
            return "endless";
        }

        @Override
        public PartitionTable assign(Topology topology, int partitions) {
            waitForTheEnd();
            throw new AssertionError("nobody waits for this");
        }

        @Override
        public long hash(byte[] bytes) {
            waitForTheEnd();
            return 0;
        }
    }

    private static TransportException failure(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            return (TransportException) e.getCause();
        }
        throw new AssertionError("did not fail");
    }

    @Test
    void aCandidateThatThrowsIsNamed() {
        assertThatThrownBy(() -> Candidates.guarded(new Named("mine")).at(""))
                .isInstanceOf(CandidateException.class)
                .hasMessage("io.dht4j.lab.CandidatesTest$Named.at(\"\") threw java.io.IOException: no address")
                .hasRootCauseMessage("no address");
        TransportCandidate other = Candidates.guarded(new AnotherNamed("mine"));
        assertThatThrownBy(() -> other.at("127.0.0.1:1"))
                .hasMessage("io.dht4j.lab.CandidatesTest$AnotherNamed.at(\"127.0.0.1:1\") returned null");
        assertThatThrownBy(() -> other.echo(3))
                .hasMessage("io.dht4j.lab.CandidatesTest$AnotherNamed.echo(3) threw"
                        + " java.lang.IllegalArgumentException: too many");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Tcp", "7tcp", "my tcp", "a,b", "abcdefghijabcdefghijabcdefghijabc", "tcp\n"})
    void refusesANameThatNobodyCanType(String name) {
        assertThatThrownBy(() -> Candidates.guarded(new Named(name)))
                .isInstanceOf(CandidateException.class)
                .hasMessageStartingWith("io.dht4j.lab.CandidatesTest$Named.name() must return 1 to 32 of the letters");
    }

    @Test
    void refusesEqualNames() {
        TransportCandidate mine = Candidates.guarded(new Named("mine"));
        Candidates.requireDistinctNames(List.of("jdk"), List.of(mine, new Named("other")));
        assertThatThrownBy(() -> Candidates.requireDistinctNames(List.of(), List.of(mine, new AnotherNamed("mine"))))
                .isInstanceOf(CandidateException.class)
                .hasMessage("io.dht4j.lab.CandidatesTest$Named and io.dht4j.lab.CandidatesTest$AnotherNamed both have"
                        + " the name \"mine\"; return another one from name()");
        assertThatThrownBy(() -> Candidates.requireDistinctNames(List.of("jdk", "mine"), List.of(mine)))
                .isInstanceOf(CandidateException.class)
                .hasMessage("the name \"mine\" of io.dht4j.lab.CandidatesTest$Named is that of a built-in transport;"
                        + " return another one from name()");
    }
}
