package io.dht4j.server.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.dht4j.server.ServerProcess;
import io.dht4j.server.TestNodes;
import io.dht4j.testkit.network.FreePorts;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The console of real servers in a real browser. */
@Tag("full")
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ConsoleTest {

    private static final String READ = "a-token-of-somebody-who-reads";
    private static final String ADMIN = "a-token-of-an-operator";
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Returns the texts whose contrast is below the 4.5 to 1 of WCAG AA, and how many there are in all. */
    private static final String CONTRASTS = """
            (() => {
              const parse = colour => {
                const [r, g, b, a = 1] = colour.match(/[\\d.]+/g).map(Number);
                return { r, g, b, a };
              };
              const over = (top, below) => ({
                r: top.r * top.a + below.r * (1 - top.a), g: top.g * top.a + below.g * (1 - top.a),
                b: top.b * top.a + below.b * (1 - top.a), a: 1 });
              const ofBackground = element => {
                const colours = [];
                for (let each = element; each; each = each.parentElement) {
                  colours.push(parse(getComputedStyle(each).backgroundColor));
                }
                return colours.reverse().reduce((below, top) => over(top, below), { r: 255, g: 255, b: 255, a: 1 });
              };
              const linear = part => part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
              const luminance = ({ r, g, b }) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
              const faint = [];
              let texts = 0;
              const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
              while (walker.nextNode()) {
                const element = walker.currentNode.parentElement;
                if (!walker.currentNode.data.trim() || !element.checkVisibility()
                        || element.closest('.sr-only, script')) {
                  continue;
                }
                texts++;
                const below = ofBackground(element);
                let opacity = 1;
                for (let each = element; each; each = each.parentElement) {
                  opacity *= Number(getComputedStyle(each).opacity);
                }
                const colour = parse(getComputedStyle(element).color);
                const text = over({ ...colour, a: colour.a * opacity }, below);
                const [low, high] = [luminance(text), luminance(below)].sort((a, b) => a - b);
                const contrast = (high + 0.05) / (low + 0.05);
                if (contrast < 4.5) { faint.push(`${contrast.toFixed(2)}: ${walker.currentNode.data.trim()}`); }
              }
              return { texts, faint };
            })()""";

    @TempDir
    Path directory;

    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Integer> ports = FreePorts.find(3);
    private final List<ServerProcess> servers = new ArrayList<>();
    private BrowserPage page;

    @BeforeEach
    void openBrowser() throws Exception {
        Optional<Path> program = BrowserPage.find();
        assumeTrue(program.isPresent(), "no Chromium on the PATH, so the console cannot be tried in a browser");
        page = BrowserPage.start(program.orElseThrow(), directory);
    }

    @AfterEach
    void close() throws Exception {
        servers.forEach(ServerProcess::close);
        if (page != null) {
            page.close();
        }
    }

    private ServerProcess server(int number, String... more) throws Exception {
        List<String> options = new ArrayList<>(List.of(
                "--id",
                "n" + number,
                "--listen",
                "127.0.0.1:" + ports.get(number - 1),
                "--peers",
                TestNodes.peers(ports),
                "--store",
                "memory"));
        options.addAll(List.of(more));
        ServerProcess server = ServerProcess.start(directory, options.toArray(String[]::new));
        servers.add(server);
        return server;
    }

    private void startAll(String... more) throws Exception {
        for (int number = 1; number <= ports.size(); number++) {
            server(number, more);
        }
        for (ServerProcess server : servers) {
            server.awaitReady();
        }
    }

    private String url(String path) {
        return "http://127.0.0.1:" + ports.get(0) + path;
    }

    private void put(String key) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url("/v0/entity?id=" + key)))
                .timeout(PATIENCE)
                .PUT(BodyPublishers.ofString("value"))
                .build();
        assertThat(client.send(request, BodyHandlers.discarding()).statusCode()).isEqualTo(201);
    }

    private void click(String selector) {
        page.evaluate("document.querySelector('" + selector + "').click()");
    }

    private void type(String selector, String text) {
        page.evaluate("document.querySelector('" + selector + "').value = '" + text + "'");
    }

    private boolean isVisible(String selector) {
        return page.evaluate("document.querySelector('" + selector + "').checkVisibility()")
                .booleanValue();
    }

    @Test
    void nodesAreShownAndOneThatDiesIsNamed() throws Exception {
        startAll();
        page.show(1200, false);
        page.open(url("/console"));
        page.awaitText("#state", "ready");
        for (String node : List.of("n1", "n2", "n3")) {
            page.awaitText("#nodes", node);
        }
        page.awaitText("#attention", "Nothing needs attention.");
        page.awaitText("#shares", "1,024");
        assertThat(page.text("#load")).isNotBlank();
        assertThat(page.text("#nodes")).doesNotContain("no answer");
        page.awaitText("#summary", "3 of 3");
        page.awaitText("#load", "no calls yet");

        servers.get(2).kill();

        // Nobody calls the node while the cluster is idle.
        await().atMost(PATIENCE).untilAsserted(() -> {
            put("key");
            assertThat(page.text("#nodes tbody tr:nth-child(3)"))
                    .containsPattern("n3\\s+no answer since \\d\\d:\\d\\d:\\d\\d\\s");
        });
        assertThat(isVisible("#nodes tbody tr:nth-child(2) .good")).isTrue();
        assertThat(page.evaluate("document.querySelectorAll('#nodes tbody tr:nth-child(3) .good').length")
                        .intValue())
                .isZero();
        assertThat(page.text("#nodes tbody tr:nth-child(3) [data-title=Clock]")).endsWith("–");
        page.awaitText("#summary", "2 of 3");
        page.awaitText("#attention", "n3 does not answer n1");
        assertThat(page.text("#nodes tbody tr:nth-child(2)")).contains("n2", "answers");
        assertThat(page.problems()).isEmpty();
    }

    @Test
    void pageKeepsLastDataUntilADeadNodeReturns() throws Exception {
        startAll();
        page.show(1200, true);
        page.open(url("/console"));
        page.awaitText("#state", "ready");
        page.awaitText("#nodes", "n3");

        servers.get(0).kill();

        page.awaitText("#state", "no answer");
        page.awaitText("#banner", "n1 has not answered for ");
        assertThat(page.text("#banner")).contains("The page shows what the node said at ");
        assertThat(page.text("#live, #banner")).contains("n1 has stopped answering.");
        assertThat(page.text("#nodes")).contains("n1", "n2", "n3").doesNotContain("answers", "the reference");
        assertThat(page.text("#nodes tbody tr:nth-child(1)"))
                .containsPattern("n1\\s+no answer since \\d\\d:\\d\\d:\\d\\d\\s");
        assertThat(page.evaluate("document.querySelectorAll('#nodes .good').length")
                        .intValue())
                .isZero();
        assertThat(page.evaluate("getComputedStyle(document.querySelector('#store .good')).color"))
                .isEqualTo(page.evaluate(
                        "getComputedStyle(document.querySelector('#nodes .tag:not([class~=bad])')).color"));
        assertThat(page.text("#attention")).contains("n1 has not answered since ");
        assertThat(page.text("#summary")).doesNotContain("of 3");
        String age = page.text("#banner");
        await().atMost(PATIENCE).until(() -> !page.text("#banner").equals(age));

        server(1).awaitReady();

        page.awaitText("#state", "ready");
        // Until each part of the page has an answer again.
        await().atMost(PATIENCE).until(() -> !isVisible("#banner"));
        assertThat(page.problems()).isEmpty();
    }

    @Test
    void nothingIsWiderThanTheWindow() throws Exception {
        startAll();
        page.open(url("/console"));
        page.awaitText("#shares", "n3");
        put("wide");
        type("#key", "wide");
        click("#lookup button");
        page.awaitText("#found", "Version read");
        assertThat(page.text("#found")).contains("Partition", "newest", "5 bytes");
        page.evaluate("document.querySelector('#hot-duration').value = '2000'");
        click("#hot-start");
        page.awaitText("#hot", "Counting for 2 s");
        put("hot-" + "w".repeat(300));
        page.awaitText("#hot", "Writes, 1 in all");

        for (int width : new int[] {400, 1200}) {
            for (boolean dark : new boolean[] {false, true}) {
                page.show(width, dark);
                await().atMost(PATIENCE)
                        .untilAsserted(
                                () -> assertThat(page.evaluate("innerWidth").intValue())
                                        .isEqualTo(width));
                assertThat(page.evaluate("document.documentElement.scrollWidth").intValue())
                        .as("width in %s", width)
                        .isLessThanOrEqualTo(width);
                assertThat(page.evaluate("[...document.querySelectorAll('.panel')]"
                                        + ".filter(panel => panel.scrollWidth > panel.clientWidth)"
                                        + ".map(panel => panel.innerText).join()")
                                .textValue())
                        .as("panels that scroll sideways in %s", width)
                        .isEmpty();
                assertThat(page.evaluate("getComputedStyle(document.body).backgroundColor")
                                .textValue())
                        .isEqualTo(dark ? "rgb(16, 19, 23)" : "rgb(244, 246, 248)");
            }
        }
        assertThat(page.problems()).isEmpty();
    }

    @Test
    void anAtomicKeyIsShownWithItsCounterOrItsLock() throws Exception {
        String self = "127.0.0.1:" + ports.get(0);
        ServerProcess server = ServerProcess.start(
                directory,
                "--id",
                "n1",
                "--listen",
                self,
                "--bootstrap",
                "n1=" + self,
                "--data",
                directory.resolve("data").toString());
        servers.add(server);
        server.awaitReady();
        assertThat(change("POST", "/v0/atomic/add?map=visits&id=home&delta=42", ""))
                .isEqualTo(201);
        assertThat(change("PUT", "/v0/atomic?map=locks&id=reports", "10000 0123456789abcdef0123456789abcdef"))
                .isEqualTo(201);
        assertThat(change("PUT", "/v0/atomic?map=locks&id=other", "a value")).isEqualTo(201);
        page.open(url("/console"));
        page.awaitText("#load", "Atomic keys, since the start");
        await().atMost(PATIENCE).until(() -> isVisible("#atomic-map"));
        assertThat(page.text("#load")).contains("Rounds of one round trip");

        lookUp("home", "visits");
        page.awaitText("#found", "Counter");
        assertThat(page.text("#found")).contains("42", "newest");
        lookUp("reports", "locks");
        page.awaitText("#found", "held by 01234567…, lease 10 s, renewed ");
        page.awaitText("#found", "newest");
        lookUp("other", "locks");
        page.awaitText("#found", "7 bytes");
        assertThat(page.text("#found")).doesNotContain("Lock", "Counter", "a value");
        lookUp("home", "");
        page.awaitText("#found", "absent, deleted or expired");
        assertThat(page.problems()).isEmpty();
    }

    private int change(String method, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url(path)))
                .timeout(PATIENCE)
                .method(method, BodyPublishers.ofString(body))
                .build();
        return client.send(request, BodyHandlers.discarding()).statusCode();
    }

    private void lookUp(String key, String map) {
        type("#key", key);
        type("#atomic-map", map);
        click("#lookup button");
    }

    @Test
    void aNarrowPageIsShortAndHasALinkToEachPanel() throws Exception {
        startAll();
        page.show(400, false);
        page.open(url("/console"));
        page.awaitText("#shares", "n3");
        put("key");
        page.awaitText("#load", "Requests to other nodes");
        assertThat(page.evaluate("document.documentElement.scrollHeight").intValue())
                .as(
                        "of the panels: %s",
                        page.evaluate("[...document.querySelectorAll('.panel')]"
                                + ".map(panel => panel.querySelector('h2').innerText + ' '"
                                + " + panel.offsetHeight).join()"))
                .isLessThan(3000);
        assertThat(page.evaluate("[...document.querySelectorAll('main h2')].map(title => title.id)"))
                .isEqualTo(page.evaluate("[...document.querySelectorAll('#jump a')].map(link => link.hash.slice(1))"));
        for (String panel : List.of("slow-title", "store-title", "nodes-title")) {
            click("#jump a[href=\"#" + panel + "\"]");
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> assertThat(page.evaluate("""
                    (() => {
                      const { top, bottom } = document.getElementById('%s').getBoundingClientRect();
                      const jump = document.getElementById('jump').getBoundingClientRect();
                      return top >= jump.bottom && bottom <= innerHeight;
                    })()""".formatted(panel)).booleanValue())
                                    .as(panel)
                                    .isTrue());
        }
        page.show(1200, false);
        await().atMost(PATIENCE).until(() -> !isVisible("#jump"));
        assertThat(page.problems()).isEmpty();
    }

    @Test
    void aLostQuorumIsNamed() throws Exception {
        startAll();
        page.open(url("/console"));
        page.awaitText("#attention", "Nothing needs attention.");
        servers.get(1).kill();
        servers.get(2).kill();
        await().atMost(PATIENCE).untilAsserted(() -> {
            client.send(
                    HttpRequest.newBuilder(URI.create(url("/v0/entity?id=key&timeout=500")))
                            .timeout(PATIENCE)
                            .build(),
                    BodyHandlers.discarding());
            assertThat(page.text("#attention")).contains("1024 of 1024 partitions have no quorum");
        });
        assertThat(page.text("#state")).isEqualTo("ready");
        assertThat(page.problems()).isEmpty();
    }

    @Test
    void textHasTheContrastThatPeopleNeed() throws Exception {
        startAll();
        page.open(url("/console"));
        page.awaitText("#shares", "n3");
        put("contrast");
        type("#key", "contrast");
        click("#lookup button");
        page.awaitText("#found", "Version read");
        page.awaitText("#load", "put");
        servers.get(2).kill();
        await().atMost(PATIENCE).untilAsserted(() -> {
            put("contrast");
            assertThat(page.text("#nodes")).contains("no answer since");
        });
        for (boolean dark : new boolean[] {false, true}) {
            page.show(1200, dark);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
                                    .booleanValue())
                            .isEqualTo(dark));
            JsonNode measured = page.evaluate(CONTRASTS);
            assertThat(measured.path("texts").intValue()).isGreaterThan(50);
            assertThat(measured.path("faint"))
                    .as("texts in %s", dark ? "dark" : "light")
                    .isEmpty();
        }
    }

    @Test
    void aHiddenPageAsksNothing() throws Exception {
        server(1).awaitReady();
        page.open(url("/console"));
        page.awaitText("#state", "ready");
        page.evaluate("""
                window.asked = 0;
                const send = window.fetch;
                window.fetch = (...request) => { window.asked++; return send(...request); };
                window.ticks = 0;
                setInterval(() => window.ticks++, 100);
                window.setHidden = hidden => {
                  Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
                  document.dispatchEvent(new Event('visibilitychange'));
                };""");
        await().atMost(PATIENCE).until(() -> page.evaluate("asked").intValue() > 5);

        page.evaluate("setHidden(true); ticks = 0; asked = 0");
        // Twice the period of the page, by its own timer.
        await().atMost(PATIENCE).until(() -> page.evaluate("ticks").intValue() >= 45);
        assertThat(page.evaluate("asked").intValue()).isZero();

        page.evaluate("setHidden(false)");
        await().atMost(PATIENCE).until(() -> page.evaluate("asked").intValue() > 5);
        assertThat(page.problems()).isEmpty();
    }

    @Test
    void slowCallsAndLoadAreThoseOfTheServer() throws Exception {
        startAll("--slow-calls", "1");
        page.show(1200, false);
        page.open(url("/console"));
        page.awaitText("#state", "ready");
        await().atMost(PATIENCE).untilAsserted(() -> {
            put("key");
            assertThat(page.text("#slow tbody tr")).contains("put", "success", "n1 write");
            assertThat(page.text("#load table")).contains("put");
        });
        assertThat(page.text("#load")).contains("Calls per second", "Requests to other nodes");
        assertThat(page.text("#slow")).doesNotContain("key-");
        assertThat(page.problems()).isEmpty();
    }

    @Test
    void tokenIsKeptInMemoryAndLimitsTheActions() throws Exception {
        Path tokens = Files.writeString(directory.resolve("tokens"), "read " + READ + "\nadmin " + ADMIN + "\n");
        startAll("--tokens", tokens.toString());
        page.show(1200, false);
        page.open(url("/console"));
        page.awaitText("#banner", "This node has tokens: give one");
        assertThat(isVisible("#nodes")).isFalse();
        assertThat(page.text("main")).doesNotContain("n1");

        type("#token", "a-token-that-nobody-has");
        click("#token-form button");
        page.awaitText("#banner", "The node does not know this token.");

        type("#token", READ);
        click("#token-form button");
        page.awaitText("#nodes", "n3");
        page.awaitText("#scope", "without the scope admin");
        page.evaluate("document.querySelector('#hot-duration').value = '2000'");
        click("#hot-start");
        page.awaitText("#hot", "Counted for 2");
        page.awaitText("#moves", "Needs a token with the scope admin.");
        assertThat(isVisible("#repair-acts")).isFalse();

        click("#forget");
        page.awaitText("#banner", "This node has tokens: give one");
        assertThat(page.text("main")).doesNotContain("n1");
        assertThat(page.text("#hot")).doesNotContain("Counted for");

        type("#token", ADMIN);
        click("#token-form button");
        page.awaitText("#scope", "Token with the scope admin");
        await().atMost(PATIENCE).until(() -> isVisible("#repair-acts"));
        click("[data-act=repair]");
        page.awaitText("#confirm", "Start a repair of n1?");
        assertThat(page.text("#confirm-text")).contains("n1 compares each partition");
        click("#confirm-yes");
        page.awaitText("#banner", "The repair of n1 has started.");

        assertThat(page.evaluate("localStorage.length + sessionStorage.length").intValue())
                .isZero();
        assertThat(page.evaluate("document.cookie + location.href + document.documentElement.outerHTML")
                        .textValue())
                .doesNotContain(READ, ADMIN);
        assertThat(page.problems()).isEmpty();
    }
}
