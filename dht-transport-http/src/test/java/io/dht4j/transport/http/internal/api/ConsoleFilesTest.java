package io.dht4j.transport.http.internal.api;

import static io.dht4j.transport.http.fixture.HttpProblem.assertProblem;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.dht4j.ErrorCode;
import io.dht4j.transport.http.HttpApiOptions;
import io.dht4j.transport.http.fixture.ApiNodes;
import io.dht4j.transport.http.fixture.RawHttp;
import java.io.IOException;
import java.net.URL;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The console's page and its files, as a node with tokens serves them to whoever has none. */
@Timeout(60)
class ConsoleFilesTest {

    private static final int MAX_LINES = 400;

    private static ApiNodes nodes;

    @BeforeAll
    static void startNodes(@TempDir Path directory) throws IOException {
        Path tokens = Files.writeString(directory.resolve("tokens"), "admin admin-admin-admin-admin-1\n");
        nodes = ApiNodes.of(1, builder -> builder, HttpApiOptions.defaults().withTokens(tokens));
    }

    @AfterAll
    static void stopNodes() {
        nodes.close();
    }

    private static HttpResponse<byte[]> get(String target, String... headers) {
        return nodes.get(0, target, headers);
    }

    private static String text(HttpResponse<byte[]> answer) {
        return new String(answer.body(), UTF_8);
    }

    private static Set<String> found(String pattern, String text) {
        Set<String> found = new TreeSet<>();
        Matcher matcher = Pattern.compile(pattern).matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }

    private static Path files() throws Exception {
        URL page = ConsoleFilesTest.class.getResource("/io/dht4j/transport/http/console/console.html");
        assertThat(page).isNotNull();
        return Path.of(page.toURI()).getParent();
    }

    @ParameterizedTest
    @CsvSource({
        "/console, text/html; charset=utf-8",
        "/console/console.css, text/css; charset=utf-8",
        "/console/console.js, text/javascript; charset=utf-8",
        "/console/icon.svg, image/svg+xml"
    })
    void aFileHasItsTypeItsTagAndAStrictPolicyAndNeedsNoToken(String target, String type) {
        HttpResponse<byte[]> answer = get(target);

        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isNotEmpty();
        HttpHeaders headers = answer.headers();
        assertThat(headers.firstValue("Content-Type")).hasValue(type);
        assertThat(headers.firstValue("Cache-Control")).hasValue("no-cache");
        assertThat(headers.firstValue("ETag")).get().asString().matches("\"[0-9a-f]{32}\"");
        assertThat(headers.firstValue("X-Content-Type-Options")).hasValue("nosniff");
        assertThat(headers.firstValue("Referrer-Policy")).hasValue("no-referrer");
        assertThat(headers.firstValue("Content-Security-Policy"))
                .get()
                .asString()
                .contains("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'")
                .doesNotContain("unsafe", "*", "http");
    }

    @Test
    void theDataBehindThePageStillNeedsAToken() {
        assertProblem(get("/v0/status"), 401, ErrorCode.UNAUTHENTICATED);
        assertProblem(get("/v0/partitions"), 401, ErrorCode.UNAUTHENTICATED);
    }

    @Test
    void aKnownFileIsNotSentAgain() {
        String tag = get("/console").headers().firstValue("ETag").orElseThrow();

        for (String known : List.of(tag, "W/" + tag, "\"other\", " + tag, "*")) {
            HttpResponse<byte[]> answer = get("/console", "If-None-Match", known);
            assertThat(answer.statusCode()).as(known).isEqualTo(304);
            assertThat(answer.body()).isEmpty();
            assertThat(answer.headers().firstValue("ETag")).hasValue(tag);
        }
        assertThat(get("/console", "If-None-Match", "\"other\"").statusCode()).isEqualTo(200);
    }

    @Test
    void headAnswersAsGetWithoutTheBody() {
        HttpResponse<byte[]> page = get("/console");
        HttpResponse<byte[]> head = nodes.send(0, "HEAD", "/console", new byte[0]);

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.headers().firstValue("Content-Length")).hasValue(Integer.toString(page.body().length));
        assertThat(head.headers().firstValue("ETag")).isEqualTo(page.headers().firstValue("ETag"));
        assertThat(head.headers().firstValue("Content-Security-Policy")).isPresent();
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE"})
    void otherMethodsAreNotAllowed(String method) {
        HttpResponse<byte[]> answer = nodes.send(0, method, "/console", new byte[0]);

        assertProblem(answer, 405, ErrorCode.METHOD_NOT_ALLOWED);
        assertThat(answer.headers().firstValue("Allow")).hasValue("GET, HEAD, OPTIONS");
    }

    @Test
    void aSlashAtTheEndLeadsToThePage() {
        HttpResponse<byte[]> answer = get("/console/");

        assertThat(answer.statusCode()).isEqualTo(308);
        assertThat(answer.headers().firstValue("Location")).hasValue("../console");
    }

    @Test
    void theRootLeadsToThePage() {
        HttpResponse<byte[]> answer = get("/");

        assertThat(answer.statusCode()).isEqualTo(308);
        assertThat(answer.headers().firstValue("Location")).hasValue("./console");
        assertProblem(nodes.send(0, "PUT", "/", new byte[1]), 405, ErrorCode.METHOD_NOT_ALLOWED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/console/nothing.js",
                "/console/console.html",
                "/console/../console/../v0/status",
                "/console/../HttpApi.class",
                "/console/%2e%2e/HttpApi.class",
                "/console/..%2fHttpApi.class",
                "/console/..\\HttpApi.class",
                "/console//console.js",
                "/console/./console.js",
                "/console/console.js/",
                "/console/console.js%00.css",
                "/console/META-INF/MANIFEST.MF"
            })
    void noPathLeadsToAnotherFile(String path) throws IOException {
        try (RawHttp raw = new RawHttp(nodes.port(0))) {
            raw.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertProblem(raw.read(), 400, ErrorCode.UNKNOWN_RESOURCE);
        }
    }

    @Test
    void consoleServesExactlyTheFilesItRefersTo() throws Exception {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> listed = Files.list(files())) {
            listed.map(file -> file.getFileName().toString()).forEach(names::add);
        }
        names.remove("console.html");
        assertThat(names)
                .allSatisfy(
                        name -> assertThat(get("/console/" + name).statusCode()).isEqualTo(200));
        Set<String> referred = found("(?:href|src)=\"console/([^\"]+)\"", text(get("/console")));
        for (String name : names) {
            referred.addAll(found("from '\\./([^']+)'", text(get("/console/" + name))));
        }
        assertThat(referred).isEqualTo(names);
    }

    @Test
    void nothingIsInlineAndNothingComesFromElsewhere() throws Exception {
        assertThat(text(get("/console")))
                .doesNotContain("<style", "style=", "javascript:", "://")
                .doesNotContainPattern("<script(?![^>]*src=)")
                .doesNotContainPattern("\\son[a-z]+=");
        try (Stream<Path> listed = Files.list(files())) {
            for (Path file : listed.toList()) {
                String text = Files.readString(file);
                assertThat(text.lines().count()).as(file.toString()).isLessThan(MAX_LINES);
                assertThat(text)
                        .as(file.toString())
                        .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(")
                        .doesNotContain("localStorage", "sessionStorage", "indexedDB", "document.cookie", "@import");
            }
        }
    }
}
