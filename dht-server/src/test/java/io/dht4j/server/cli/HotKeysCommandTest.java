package io.dht4j.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What is shown of hot keys. */
class HotKeysCommandTest extends NodeCommands {

    @Test
    void theNodeAndItsTotalsAreShown() {
        run("put", "k", "v");

        CommandLineRun shown = run("hot-keys", "--duration", "100");

        assertThat(shown.exitCode()).isZero();
        assertThat(shown.out())
                .containsPattern("n1, counted for 0\\.\\d s")
                .contains("reads   0 in all", "writes  0 in all", "bytes   0 in all");
    }

    @Test
    void boundsAndKeysAreShownInLines() throws Exception {
        try (ScriptedNode scripted = new ScriptedNode("""
                {"node":"n7","counted_ms":10004,
                 "reads":{"total":200,"keys":[{"key":"a\\u001bb","key_base64":"YRti","at_least":90,"at_most":96}]},
                 "writes":{"total":4,"keys":[{"key_base64":"/wA=","at_least":4,"at_most":4}]},
                 "bytes":{"total":0,"keys":[]}}""".replace("\n", ""))) {
            assertThat(CommandLineRun.of("hot-keys", "--node", scripted.url())
                            .out()
                            .lines())
                    .containsExactly(
                            "n7, counted for 10.0 s",
                            "reads   200 in all",
                            "   45.0 %  90..96  a\\u001bb",
                            "writes  4 in all",
                            "  100.0 %  4  base64:/wA=",
                            "bytes   0 in all");
        }
    }

    @Test
    void aNodeThatDoesNotAnswerIsNamedAndTheOthersAreShown() {
        CommandLineRun shown = run("hot-keys", "--duration", "100", "--node", "http://127.0.0.1:1");

        assertThat(shown.exitCode()).isEqualTo(1);
        assertThat(shown.err()).contains("127.0.0.1:1");
    }
}
