package io.dht4j.benchmarks.results;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class DoubtsTest {

    @Test
    void reasonsThatDifferInNumbersAndLoadProcessesAreOneKind() {
        assertThat(Doubts.byKind(List.of(
                        "load process 1: the generator's garbage collector stopped it for 27.0 % of the time",
                        "the search ended at its greatest rate: the truth may be higher",
                        "load process 12: the generator's garbage collector stopped it for 5.3 % of the time",
                        "it did not hold 2,000 operations/s (12.8 % was served, and the 99th percentile was 4.34 s)",
                        "it did not hold 2,000 operations/s (99 % was served, and the 99th percentile was 910 ms)")))
                .containsExactly(
                        "load process 1: the generator's garbage collector stopped it for 27.0 % of the time "
                                + "(and 1 more of this kind)",
                        "the search ended at its greatest rate: the truth may be higher",
                        "it did not hold 2,000 operations/s (12.8 % was served, and the 99th percentile was 4.34 s) "
                                + "(and 1 more of this kind)");
    }

    @Test
    void theSameReasonTwiceIsOne() {
        assertThat(Doubts.byKind(List.of("a doubt", "a doubt"))).containsExactly("a doubt");
    }
}
