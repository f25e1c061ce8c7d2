package io.dht4j.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.Cluster;
import io.dht4j.core.NodeStart;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What a start reports while it waits. */
class MemberStartTest {

    /** A start that waits for ever. */
    private static final class Waiting implements NodeStart {
        private final CompletableFuture<Cluster> cluster = new CompletableFuture<>();
        private boolean closed;

        @Override
        public CompletionStage<Cluster> cluster() {
            return cluster;
        }

        @Override
        public String waiting() {
            return "n1 waits for n2";
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** Stops after some reports. */
    private static final class Reports implements StartWatch {
        private final List<String> all = new ArrayList<>();

        @Override
        public void waits(String what) {
            all.add(what);
        }

        @Override
        public boolean isStopAsked() {
            return all.size() == 2;
        }
    }

    @Test
    void aStartThatStillWaitsForTheSameSaysSoAgain() {
        Waiting start = new Waiting();
        Reports reports = new Reports();
        assertThatThrownBy(() -> MemberStart.await(start, reports, Duration.ZERO, Duration.ofMillis(1)))
                .hasMessage("stopped at its start: n1 waits for n2");
        assertThat(reports.all).containsExactly("n1 waits for n2", "n1 waits for n2");
        assertThat(start.closed).isTrue();
    }
}
