package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What {@code slow-calls} shows of answers. */
class SlowCallsCommandTest {

    private static final String ANSWER = """
            {"slow_calls":[{"ended_ms":1795000000000,"kind":"PUT","outcome":"SUCCESS","took_ms":1205,"keys":1,
             "key_hash":"5b2f3c1e9a7d4408","replicas":["n2","n1"],"requests":[
             {"node":"n1","kind":"WRITE","outcome":"SUCCESS","after_ms":0,"took_ms":1},
             {"node":"n2","kind":"WRITE","outcome":"PENDING","after_ms":2,"took_ms":1203}]},
             {"ended_ms":1795000000000,"kind":"GET_ALL","outcome":"NOT_ENOUGH_REPLICAS","took_ms":1000,"keys":7,
             "replicas":[],"requests":[]},
             {"ended_ms":1795000000000,"kind":"SCAN_PAGE","outcome":"SUCCESS","took_ms":900,"keys":0,
             "replicas":[],"requests":[]}]}
            """;

    private static CommandLineRun run(String answer, String... args) throws Exception {
        try (ScriptedNode node = new ScriptedNode(answer)) {
            String[] all = new String[args.length + 3];
            all[0] = "slow-calls";
            System.arraycopy(args, 0, all, 1, args.length);
            all[args.length + 1] = "--node";
            all[args.length + 2] = node.url();
            return CommandLineRun.of(all);
        }
    }

    @Test
    void callsAreLinesWithTheirRequestsBelow() throws Exception {
        assertThat(run(ANSWER).out().lines())
                .containsExactly(
                        "2026-11-18T11:06:40Z  PUT  1205 ms  SUCCESS  key hash 5b2f3c1e9a7d4408 on n2, n1",
                        "    n1  WRITE  1 ms  SUCCESS  after 0 ms",
                        "    n2  WRITE  1203 ms  PENDING  after 2 ms",
                        "2026-11-18T11:06:40Z  GET_ALL  1000 ms  NOT_ENOUGH_REPLICAS  7 keys",
                        "2026-11-18T11:06:40Z  SCAN_PAGE  900 ms  SUCCESS");
    }

    @Test
    void withoutSlowCallsNothingIsShown() throws Exception {
        CommandLineRun run = run("{\"slow_calls\":[]}");
        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).isEmpty();
    }

    @Test
    void theAnswerIsShownUnchangedAsJson() throws Exception {
        assertThat(run("{\"slow_calls\":[]}", "--json").out().strip()).isEqualTo("{\"slow_calls\":[]}");
    }
}
