package io.dht4j.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Node;
import io.dht4j.core.SystemEnvironment;
import io.dht4j.lab.CandidateException;
import io.dht4j.lab.TransportCandidate;
import io.dht4j.spi.CallContext;
import io.dht4j.spi.Frame;
import io.dht4j.spi.FrameHandler;
import io.dht4j.spi.Transport;
import io.dht4j.spi.TransportException;
import io.dht4j.testkit.network.LoopbackNetwork;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Runs comparisons for seconds, over a network within this process. */
@Tag("full")
class LabTest {

    private static final int WASTE_BYTES = 1 << 20;

    private final SystemEnvironment environment = SystemEnvironment.create("lab-test");

    @AfterEach
    void end() {
        environment.close();
    }

    /** Calls through the network, and allocates much more or fails, if it should. */
    private record Candidate(String name, LoopbackNetwork network, int wasteBytes, boolean fails)
            implements TransportCandidate {

        @Override
        public Transport at(String address) {
            Transport transport = network.transport(address);
            return new Transport() {
                private volatile byte[] wasted = {};

                @Override
                public CompletionStage<Void> start(FrameHandler handler) {
                    return transport.start(handler);
                }

                @Override
                public CompletionStage<byte[]> call(Node node, Frame request, CallContext context) {
                    wasted = new byte[wasteBytes];
                    return fails && wasted.length % 2 == 0
                            ? CompletableFuture.failedFuture(
                                    new TransportException(TransportException.Outcome.NOT_SENT, "no wire"))
                            : transport.call(node, request, context);
                }

                @Override
                public String name() {
                    return name;
                }

                @Override
                public void close() {
                    transport.close();
                }
            };
        }
    }

    private Candidate candidate(String name, int wasteBytes) {
        return new Candidate(name, LoopbackNetwork.on(environment), wasteBytes, false);
    }

    private static TransportComparison brief(TransportCandidate a, TransportCandidate b) {
        return Lab.compare(a, b).withRepetitions(4).withRate(200).lasting(0.2, 0.3);
    }

    @Test
    void aTransportThatAllocatesMuchMoreIsFoundToBeWorse() {
        assertThatThrownBy(() -> brief(candidate("old", 0), candidate("new", WASTE_BYTES))
                        .assertNotWorse(100))
                .isInstanceOf(AssertionError.class)
                .message()
                .startsWith("new is worse than old by more than 100 %: ")
                .contains("bytes allocated per operation", "which exceeds the noise (p = 0.029)");
    }

    @Test
    @Tag("full")
    void aTransportThatAllocatesMuchLessIsNotWorse() {
        ComparisonResult result =
                brief(candidate("old", WASTE_BYTES), candidate("new", 0)).run();
        assertThat(result.costs())
                .filteredOn(cost -> cost.name().startsWith("bytes"))
                .singleElement()
                .satisfies(bytes -> {
                    assertThat(bytes.morePercent()).isLessThan(-50);
                    assertThat(bytes.exceedsNoise()).isTrue();
                    assertThat(bytes.isWorse(0)).isFalse();
                });
        assertThat(result.costs())
                .allSatisfy(cost -> assertThat(cost.a()).hasSize(4).allMatch(value -> value > 0));
    }

    @Test
    void oneRepetitionDecidesNothing() {
        assertThatThrownBy(() -> brief(candidate("old", 0), candidate("new", 0))
                        .withRepetitions(1)
                        .assertNotWorse(1000))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("cannot tell whether new is worse than old: ")
                .hasMessageContaining(": use withRepetitions(4)");
    }

    @Test
    void aTransportThatFailsIsNotMeasured() {
        Candidate failing = new Candidate("new", LoopbackNetwork.on(environment), 0, true);
        assertThatThrownBy(() -> brief(candidate("old", 0), failing).run()).hasMessageContaining("no wire");
    }

    @Test
    void refusesEqualNamesAndValuesOutOfRange() {
        Candidate old = candidate("old", 0);
        assertThatThrownBy(() -> Lab.compare(old, candidate("old", 0)))
                .isInstanceOf(CandidateException.class)
                .hasMessageContaining("both have the name \"old\"");
        TransportComparison comparison = Lab.compare(old, candidate("new", 0));
        assertThatThrownBy(() -> comparison.withRepetitions(0)).hasMessage("repetitions must be 1 to 100, not 0");
        assertThatThrownBy(() -> comparison.withRate(0))
                .hasMessage("operations per second must be 1.0 to 1000000.0, not 0.0");
        assertThatThrownBy(() -> comparison.assertNotWorse(-1)).hasMessage("percent must be 0.0 to 1000.0, not -1.0");
    }
}
