package io.dht4j.benchmarks.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CollapsedStacksTest {

    @TempDir
    Path directory;

    private CollapsedStacks read(String text) throws IOException {
        return CollapsedStacks.read(Files.writeString(directory.resolve("stacks"), text));
    }

    @Test
    void threadsOfAPoolBecomeOne() throws Exception {
        assertThat(read("[worker-1 tid=11];a;b 3\n[worker-22 tid=12];a;b 4\n[main tid=5];a 1\n[worker-1 tid=11];a 2\n"))
                .isEqualTo(new CollapsedStacks(Map.of("[worker-*];a;b", 7L, "[main];a", 1L, "[worker-*];a", 2L)));
    }

    @Test
    void numbersThatAreWordsStay() throws Exception {
        assertThat(read("[C2 CompilerThre tid=1];a 1\n[G1 Conc#0 tid=2];a 1\n[dht4j-n3-store-12 tid=3];a 1\n"))
                .isEqualTo(new CollapsedStacks(
                        Map.of("[C2 CompilerThre];a", 1L, "[G1 Conc#*];a", 1L, "[dht4j-n*-store-*];a", 1L)));
    }

    @Test
    void profilesOfSeveralNodesAreAddedUp() throws Exception {
        CollapsedStacks one = read("[t tid=1];a 3\n[t tid=1];b 1\n");
        CollapsedStacks other = read("[t tid=9];a 5\n");
        CollapsedStacks both = CollapsedStacks.merge(List.of(one, other));
        assertThat(both.counts()).isEqualTo(Map.of("[t];a", 8L, "[t];b", 1L));
        assertThat(both.total()).isEqualTo(9);
    }

    @Test
    void whatIsWrittenIsReadAgain() throws Exception {
        CollapsedStacks stacks = new CollapsedStacks(Map.of("[t];a b.c;d", 8L, "[t];b", 1L));
        stacks.write(directory.resolve("again"));
        assertThat(CollapsedStacks.read(directory.resolve("again"))).isEqualTo(stacks);
        assertThat(directory.resolve("again")).hasContent("[t];a b.c;d 8\n[t];b 1\n");
    }

    @Test
    void countsCanBeMadeComparable() {
        CollapsedStacks stacks = new CollapsedStacks(Map.of("a", 750L, "b", 250L, "c", 0L));
        assertThat(stacks.scaledTo(8).counts()).isEqualTo(Map.of("a", 6L, "b", 2L));
        assertThat(new CollapsedStacks(Map.of()).scaledTo(8).counts()).isEmpty();
    }

    @Test
    void aMalformedLineIsNamed() {
        assertThatThrownBy(() -> read("a;b 1\na;b\n"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("stacks, line 2");
        assertThatThrownBy(() -> read("12\n")).hasMessageContaining("line 1");
    }

    @Test
    void flameGraphsArePagesThatNeedNothingElse() throws Exception {
        CollapsedStacks base = new CollapsedStacks(Map.of("[t];io/dht4j/A.run_[j];io/dht4j/A.slow_[j]", 100L));
        CollapsedStacks stacks = new CollapsedStacks(Map.of(
                "[t];io/dht4j/A.run_[j];io/dht4j/A.slow_[j]", 50L, "[t];io/dht4j/A.run_[j];io/dht4j/A.new_[j]", 50L));
        Path page = directory.resolve("graph.html");
        FlameGraphs.write(stacks, "a < b", page);
        assertThat(page)
                .content()
                .contains("<!DOCTYPE html>", "a &lt; b", "io/dht4j/A.")
                .doesNotContain("src=\"http");
        FlameGraphs.writeDifference(base, stacks, "what changed", page);
        assertThat(page).content().contains("what changed", "d=U", "d=-50");
    }
}
