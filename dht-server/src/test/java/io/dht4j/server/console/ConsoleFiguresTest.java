package io.dht4j.server.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.server.ServerProcess;
import io.dht4j.server.TestNodes;
import io.dht4j.testkit.network.FreePorts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the scripts of the console make of given answers of a node, in a real browser. */
@Tag("full")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ConsoleFiguresTest {

    /** Answers of a node of three, and a function that returns the text of what a script has made. */
    private static final String ANSWERS = """
            const text = made => {
              const parent = document.createElement('div');
              parent.append(...[made].flat());
              document.body.append(parent);
              const result = parent.innerText;
              parent.remove();
              return result;
            };
            const node = id => ({ id, address: id + ':1', weight: 1 });
            const status = { id: 'n1', nodes: ['n1', 'n2', 'n3'].map(node), suspected: [],
              disagreeing: [], partitions: 1024,
              replication_factor: 2, placement: 'rendezvous', hash: 'xxh3', transport: 'http', store: 'mvstore',
              version: '1', entries: 500, entries_age_ms: 0, uptime_ms: 5000, epoch: 7, store_problems: [],
              refill: { partitions: 0, entries: 0, waits_for: [] } };
            const member = id => ({ ...node(id), state: 'SERVING', zone: '', partitions: 512, silent_ms: 0 });
            const members = { nodes: ['n1', 'n2', 'n3'].map(member), epoch_text: '1.7' };
            """;

    @TempDir
    static Path directory;

    private static ServerProcess server;
    private static BrowserPage page;

    @BeforeAll
    static void openBrowser() throws Exception {
        Optional<Path> program = BrowserPage.find();
        assumeTrue(program.isPresent(), "no Chromium on the PATH, so the console cannot be tried in a browser");
        List<Integer> ports = FreePorts.find(1);
        server = ServerProcess.start(
                directory,
                "--id",
                "n1",
                "--listen",
                "127.0.0.1:" + ports.get(0),
                "--peers",
                TestNodes.peers(ports),
                "--store",
                "memory");
        server.awaitReady();
        page = BrowserPage.start(program.orElseThrow(), directory);
        page.show(1200, false);
        page.open("http://127.0.0.1:" + ports.get(0) + "/console");
        page.awaitText("#node", "n1");
    }

    @AfterAll
    static void close() throws Exception {
        if (page != null) {
            page.close();
        }
        if (server != null) {
            server.close();
        }
    }

    /** Returns the result of statements that have a module of the console as `of`. */
    private static JsonNode with(String module, String statements) {
        return page.evaluate("import('/console/%s.js').then(of => { %s %s })".formatted(module, ANSWERS, statements));
    }

    @Test
    void ratesAndPercentilesAreThoseOfTheMetrics() throws Exception {
        JsonNode rates = page.evaluate("""
                import('/console/metrics.js').then(metrics => {
                  const text = (count, failed, seconds, fast, slow) => `# TYPE dht_calls_seconds histogram
                    dht_calls_seconds_count{kind="get",outcome="SUCCESS"} ${count}
                    dht_calls_seconds_count{kind="get",outcome="OVERLOADED"} ${failed}
                    dht_calls_seconds_sum{kind="get",outcome="SUCCESS"} ${seconds}
                    dht_calls_seconds_bucket{kind="get",outcome="SUCCESS",le="0.001"} ${fast}
                    dht_calls_seconds_bucket{kind="get",outcome="SUCCESS",le="0.1"} ${slow}
                    dht_calls_seconds_bucket{kind="get",outcome="SUCCESS",le="+Inf"} ${slow}
                    dht_calls_seconds_max{kind="get",outcome="SUCCESS"} NaN
                    dht_peer_clock_offset_seconds{peer="n\\\\"2"} -0.25
                    dht_peer_clock_offset_seconds{peer="n3"} NaN`;
                  const of = (...figures) =>
                      metrics.totals(metrics.parse(text(...figures)), 'dht_calls_seconds', 'kind');
                  const rates = metrics.rates(of(100, 1, 5, 50, 100), of(300, 5, 9, 150, 300), 2);
                  const restarted = metrics.rates(of(300, 5, 9, 150, 300), of(1, 0, 1, 1, 1), 2);
                  const offsets = metrics.clockOffsets(metrics.parse(text(0, 0, 0, 0, 0)));
                  return { ...rates.get('get'), restarted: restarted.size, offset: offsets.get('n"2'), known: offsets.size };
                })""");

        assertThat(rates.path("rate").doubleValue()).isEqualTo(102);
        assertThat(rates.path("failures").doubleValue()).isEqualTo(2);
        assertThat(rates.path("mean").doubleValue()).isCloseTo(4.0 / 204, within(1e-9));
        assertThat(rates.path("p50").doubleValue()).isCloseTo(0.001, within(1e-9));
        assertThat(rates.path("p99").doubleValue()).isBetween(0.09, 0.1);
        assertThat(rates.path("restarted").intValue()).isZero();
        assertThat(rates.path("offset").doubleValue()).isEqualTo(-0.25);
        assertThat(rates.path("known").intValue())
                .as("clocks that are known, that of n3 is not")
                .isEqualTo(1);
    }

    @Test
    void aMemberThatDoesNotAnswerIsNeitherServingNorHasAClock() {
        String made = """
                of.forget();
                of.observe(status, 1000000);
                of.observe({ ...status, suspected: ['n3'] }, 1002000);
                const clocks = new Map([['n2', 0.002], ['n3', 0.004]]);
                const rows = of.nodes({ ...status, suspected: ['n3'] }, members, new Map(), clocks)
                    .querySelectorAll('tbody tr');
                return [...rows].map(row => row.textContent + (row.querySelector('.good') ? ' good' : ''));""";
        List<String> rows = strings(with("nodes", made));
        assertThat(rows.get(1)).contains("serving", "answers", "+2 ms", " good");
        assertThat(rows.get(2))
                .containsPattern("no answer since (1970-01-01 )?\\d\\d:\\d\\d:42")
                .doesNotContain("serving", "4 ms", "good");
    }

    @Test
    void earlierSilenceHasUnknownAgeUnlessReported() {
        String unreported = """
                of.forget();
                const silent = { ...status, suspected: ['n2'] };
                of.observe(silent, 1002000);
                return text(of.nodes(silent, undefined, new Map(), new Map()));""";
        assertThat(with("nodes", unreported).textValue())
                .containsPattern("no answer since before \\S*( )?\\d\\d:\\d\\d:42");
        String reported = """
                of.forget();
                const silent = { ...status, suspected: ['n2'] };
                of.observe(silent, 1002000);
                members.nodes[1].silent_ms = 60000;
                return text(of.nodes(silent, members, new Map(), new Map(), { membersAt: 1005000 }));""";
        assertThat(with("nodes", reported).textValue())
                .containsPattern("no answer since (1970-01-01 )?\\d\\d:\\d\\d:45");
    }

    @Test
    void aMemberThatIsDeadOrHasNotJoinedDoesNotAnswer() {
        List<String> rows = strings(with("nodes", """
                members.nodes[2].state = 'DEAD';
                members.nodes.push({ ...member('n4'), state: 'ADMITTED', address: undefined });
                return [...of.nodes(status, members, new Map(), new Map()).querySelectorAll('tbody tr')]
                    .map(row => text(row.cloneNode(true)) + (row.querySelector('.good') ? ' good' : ''));"""));
        assertThat(rows.get(2)).contains("dead", "–").doesNotContain("answers", "contradiction", "good");
        assertThat(rows.get(3)).contains("admitted", "not joined").doesNotContain("answers", "contradiction", "good");
    }

    @Test
    void tilesHaveTotalsOfTheCluster() {
        List<String> tiles = strings(with("nodes", """
                members.nodes[2].state = 'JOINING';
                const known = { held: new Map([['n1', 256]]), calls: 12.3 };
                return of.summary({ ...status, suspected: ['n2'] }, members, known)
                    .map(tile => text(tile));"""));
        assertThat(tiles).anySatisfy(tile -> assertThat(tile).contains("Nodes serving", "1 of 3", "n2"));
        assertThat(tiles).anySatisfy(tile -> assertThat(tile).contains("Keys in the cluster", "≈ 2,000", "500 in n1"));
        assertThat(tiles).anySatisfy(tile -> assertThat(tile).contains("Calls a second", "12.3"));
        List<String> unknown = strings(with("nodes", """
                return of.summary({ ...status, entries: -1 }, undefined, { held: new Map() }).map(tile => text(tile));"""));
        assertThat(unknown).anySatisfy(tile -> assertThat(tile).contains("Nodes serving", "3 of 3"));
        assertThat(unknown).anySatisfy(tile -> assertThat(tile).contains("Keys in the cluster", "–"));
        assertThat(unknown).anySatisfy(tile -> assertThat(tile).contains("Calls a second", "–"));
    }

    @Test
    void heapHasItsMaximumAndEmptyChartsShowNoCalls() {
        String load = with("load", """
                const metrics = calls => `dht_calls_seconds_count{kind="get",outcome="SUCCESS"} ${calls}
                  dht_calls_seconds_sum{kind="get",outcome="SUCCESS"} ${calls}
                  jvm_memory_used_bytes{area="heap",id="Eden"} 1048576
                  jvm_memory_used_bytes{area="heap",id="Old"} 1048576
                  jvm_memory_used_bytes{area="nonheap",id="Metaspace"} 1048576
                  jvm_memory_max_bytes{area="heap",id="Eden"} -1.0
                  jvm_memory_max_bytes{area="heap",id="Old"} 268435456
                  jvm_memory_max_bytes{area="nonheap",id="Metaspace"} -1.0`;
                of.forget();
                of.read(metrics(0), 1000);
                of.read(metrics(0), 3000);
                const idle = text(of.load({ data: 'text', state: 'ok' }));
                of.forget();
                of.read(metrics(5), 1000);
                of.read(metrics(5), 3000);
                const later = text(of.load({ data: 'text', state: 'ok' }));
                of.read(metrics(7), 5000);
                return [idle, later, text(of.load({ data: 'text', state: 'ok' }))].join('\\n====\\n');""").textValue();
        String[] parts = load.split("====");
        assertThat(parts).hasSize(3).allSatisfy(part -> assertThat(part).containsPattern("Heap\\s+2 MiB of 256 MiB"));
        assertThat(parts[0]).contains("This node has had no calls yet.").doesNotContain("up to");
        assertThat(parts[1])
                .contains("Calls per second · no calls since this page was opened")
                .doesNotContain("up to");
        assertThat(parts[2]).contains("Calls per second · up to 1").doesNotContain("no calls");
    }

    @Test
    void aLineOfOneReadingIsVisible() {
        JsonNode points = with("load", """
                const metrics = calls => `dht_calls_seconds_count{kind="get",outcome="SUCCESS"} ${calls}
                  dht_calls_seconds_sum{kind="get",outcome="SUCCESS"} ${calls}`;
                of.forget();
                [0, 0, 5].forEach((calls, index) => of.read(metrics(calls), 1000 + 2000 * index));
                return [...of.load({ data: 'text', state: 'ok' }).querySelectorAll('polyline')]
                    .map(line => line.getAttribute('points').split(' ').length);""");
        assertThat(points).extracting(JsonNode::intValue).containsExactly(2, 2);
    }

    @Test
    void panelsSayWhatIsNormal() {
        for (String panel : List.of("#store", "#hot", "#overload")) {
            page.awaitText(panel, "Normal: ");
        }
    }

    private static List<String> strings(JsonNode array) {
        List<String> strings = new ArrayList<>();
        array.forEach(each -> strings.add(each.textValue()));
        return strings;
    }
}
