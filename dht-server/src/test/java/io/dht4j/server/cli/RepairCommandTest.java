package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class RepairCommandTest {

    private static String status(boolean running, int rounds, int done, String more) {
        return "{\"id\":\"n1\",\"running\":" + running + ",\"partitions\":4,\"partitions_done\":" + done
                + ",\"rounds\":" + rounds + ",\"blocked\":false" + more + ",\"completed_ms\":{}}";
    }

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aNodeThatSaysThatItCannotBeginIsNotWatchedForEver() throws Exception {
        String blocked = "{\"id\":\"n1\",\"running\":true,\"partitions\":0,\"partitions_done\":0,\"rounds\":0,"
                + "\"last_error\":\"cannot add up\",\"blocked\":true,\"completed_ms\":{}}";
        try (ScriptedNode node = new ScriptedNode(blocked)) {
            CommandLineRun run = CommandLineRun.of("repair", "--node", node.url());

            assertThat(run.exitCode()).isEqualTo(1);
            assertThat(run.out()).isEmpty();
            assertThat(run.err().lines())
                    .containsExactly(
                            "dht repair: n1 has not begun",
                            "dht repair: n1 cannot begin, and will as soon as it can: cannot add up");
        }
    }

    @Test
    void requestedPartitionsAreListedWithTheirComparisonTime() throws Exception {
        String compared = status(false, 7, 4, "").replace("{}", "{\"0\":1000,\"3\":2000}");
        try (ScriptedNode node = new ScriptedNode(compared)) {
            CommandLineRun run = CommandLineRun.of("repair", "--status", "--partition", "3,1", "--node", node.url());

            assertThat(run.exitCode()).isZero();
            assertThat(run.out().lines())
                    .endsWith(
                            "compared         2 partitions with all other replicas since this node was started, the "
                                    + "longest ago at 1970-01-01T00:00:01Z",
                            "partition 3      compared with all its other replicas at 1970-01-01T00:00:02Z",
                            "partition 1      not compared here with all its other replicas since this node was "
                                    + "started");
        }
    }

    @Test
    void progressIsToldWhenThereIsAny() throws Exception {
        String begun = status(true, 6, 0, ",\"last_error\":\"n2 was away\"");
        String further = status(true, 6, 2, "");
        try (ScriptedNode node = new ScriptedNode(
                status(false, 6, 0, ""), begun, begun, begun, further, further, status(false, 7, 4, ""))) {
            CommandLineRun run = CommandLineRun.of("repair", "--node", node.url());

            assertThat(run.exitCode()).isZero();
            assertThat(run.err().lines())
                    .containsExactly(
                            "dht repair: 0 of 4 partitions compared; the round before: n2 was away",
                            "dht repair: 2 of 4 partitions compared");
            assertThat(run.out()).containsPattern("partitions_done +4");
        }
    }
}
