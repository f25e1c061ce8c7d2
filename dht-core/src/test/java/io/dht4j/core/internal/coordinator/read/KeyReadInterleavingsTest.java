package io.dht4j.core.internal.coordinator.read;

import io.dht4j.Key;
import io.dht4j.Node;
import io.dht4j.ReplicationPolicy;
import io.dht4j.core.internal.coordinator.quorum.Answers;
import io.dht4j.core.internal.coordinator.quorum.ReplicaAnswer;
import io.dht4j.core.internal.wire.Answer;
import io.dht4j.testkit.SearchEffort;
import java.util.List;
import java.util.StringJoiner;
import java.util.stream.IntStream;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Answers that come at the same time, also while the read is settled: each is among those it is settled on, or is told
 * that it is late.
 */
@Tag("search")
@Tag("full")
class KeyReadInterleavingsTest {

    @Test
    void answersAtTheSameTimeAreKeptAsIfTheyTookTurns() {
        new ModelCheckingOptions()
                .iterations(SearchEffort.of(5))
                .invocationsPerIteration(200)
                .threads(3)
                .actorsPerThread(2)
                .check(OfThreeReplicas.class);
    }

    /** A read of a key. */
    public static class OfThreeReplicas {

        private static final List<ReplicaAnswer> ANSWERS = IntStream.range(0, 3)
                .mapToObj(i -> new ReplicaAnswer(Node.of("n" + i, "host:" + (1 + i)), new Answer.Absent()))
                .toList();

        private final KeyRead read = new KeyRead(
                Key.of("key"), ANSWERS.stream().map(ReplicaAnswer::node).toList(), new ReplicationPolicy(2, 3), null);

        /** A replica has answered. */
        @Operation
        public String see(@Param(gen = IntGen.class, conf = "0:2") int replica) {
            return shown(read.add(ANSWERS.get(replica)));
        }

        /** Enough have. */
        @Operation
        public String settle() {
            return shown(read.settle());
        }

        /** Looks. */
        @Operation
        public String answers() {
            return shown(read.answers());
        }

        private static String shown(Answers answers) {
            StringJoiner shown = new StringJoiner(" ", answers.settled() ? "settled:" : "", "");
            for (Answers at = answers; at != null && at.last() != null; at = at.before()) {
                shown.add(at.last().node().id().value());
            }
            return shown.toString();
        }
    }
}
