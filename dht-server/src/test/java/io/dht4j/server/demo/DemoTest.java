package io.dht4j.server.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.dht4j.server.config.TransportChoice.Protocol;
import io.dht4j.server.demo.UnicodeNames.Named;
import io.dht4j.testkit.network.FreePorts;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DemoTest {

    @Test
    void theDataSetHasEveryNamedCharacter() {
        List<Named> all = UnicodeNames.all();

        assertThat(all).hasSizeGreaterThan(140_000);
        assertThat(all).contains(new Named('A', "LATIN CAPITAL LETTER A"), new Named(0x1F600, "GRINNING FACE"));
        assertThat(all)
                .extracting(Named::key)
                .contains("U+0000", "U+0041", "U+1F600")
                .doesNotHaveDuplicates();
        assertThat(all).extracting(Named::codePoint).isSorted().doesNotContain(0xD800, 0xE000, 0x10FFFF);
    }

    @Test
    void theTourGoesFromTheFirstNodesToTheOneThatLeaves(@TempDir Path directory) throws Exception {
        tour(Protocol.HTTP, directory);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "HTTP")
    @Tag("full")
    void theTourIsTheSameOverEachTransport(Protocol transport, @TempDir Path directory) throws Exception {
        tour(transport, directory);
    }

    private static void tour(Protocol transport, Path directory) throws Exception {
        List<Named> some = UnicodeNames.all().stream()
                .filter(character -> character.codePoint() < 0x800 || character.codePoint() >> 12 == 0x1F)
                .toList();
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Page page = new Page(new PrintStream(out, true, StandardCharsets.UTF_8), false);
        try (DemoNodes nodes = new DemoNodes(directory, network(transport))) {
            Demo demo = new Demo(page, nodes, some, () -> false);
            demo.run();
            demo.showUrls();
        }

        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains(String.format(Locale.ROOT, "%,d entries", some.size()))
                .contains("\"GRINNING FACE\"")
                .contains("U+1F400  🐀  RAT")
                .containsIgnoringCase(transport.name())
                .contains("n2 is stopped")
                .contains("WRITE_INDETERMINATE")
                .contains("n2 runs again")
                .contains("n4 was added")
                .containsPattern("n[123]→n4  [\\d,]+ of 1,024 partitions")
                .containsPattern("n2→n[134]  [\\d,]+ of 1,024 partitions")
                .contains("n2 is removed")
                .contains("/console", "curl 'http://127.0.0.1:");
    }

    @Test
    void theTourStopsWhenItIsAskedTo(@TempDir Path directory) throws Exception {
        Page page = new Page(new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8), false);
        try (DemoNodes nodes = new DemoNodes(directory, network(Protocol.HTTP))) {
            Demo demo = new Demo(page, nodes, UnicodeNames.all(), () -> true);
            assertThatThrownBy(demo::run).isInstanceOf(Demo.StoppedException.class);
        }
    }

    private static DemoNodes.Network network(Protocol transport) {
        List<Integer> ports = FreePorts.find(2 * DemoNodes.MOST);
        List<Integer> own = ports.subList(0, DemoNodes.MOST);
        return new DemoNodes.Network(
                transport, own, transport == Protocol.HTTP ? own : ports.subList(DemoNodes.MOST, 2 * DemoNodes.MOST));
    }
}
