package io.dht4j.server.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A page in a headless Chromium, driven by its DevTools protocol. */
final class BrowserPage implements AutoCloseable, WebSocket.Listener {

    private static final List<String> NAMES = List.of("chromium", "chromium-browser", "google-chrome", "chrome");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpClient client = HttpClient.newHttpClient();
    private final AtomicInteger ids = new AtomicInteger();
    private final Map<Integer, CompletableFuture<JsonNode>> replies = new ConcurrentHashMap<>();
    private final List<String> problems = new CopyOnWriteArrayList<>();
    private final StringBuilder part = new StringBuilder();
    private final Process process;
    private final WebSocket socket;

    private BrowserPage(Process process, Path profile) throws IOException, InterruptedException {
        this.process = process;
        Path file = profile.resolve("DevToolsActivePort");
        await().atMost(PATIENCE)
                .until(() -> Files.exists(file) && Files.readAllLines(file).size() == 2);
        URI targets = URI.create("http://127.0.0.1:" + Files.readAllLines(file).get(0) + "/json/list");
        String page = await().atMost(PATIENCE).until(() -> pageAmong(targets), url -> !url.isEmpty());
        this.socket = client.newWebSocketBuilder()
                .buildAsync(URI.create(page), this)
                .orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS)
                .join();
        command("Page.enable");
        command("Runtime.enable");
        command("Log.enable");
    }

    private String pageAmong(URI targets) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(targets).timeout(PATIENCE).build();
        for (JsonNode target :
                JSON.readTree(client.send(request, BodyHandlers.ofString()).body())) {
            if (target.path("type").textValue().equals("page")) {
                return target.path("webSocketDebuggerUrl").textValue();
            }
        }
        return "";
    }

    /** Returns the browser on the PATH. */
    static Optional<Path> find() {
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .flatMap(directory -> NAMES.stream().map(name -> Path.of(directory, name)))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /** Starts the browser with an empty page; its files go to the directory. */
    static BrowserPage start(Path program, Path directory) throws IOException, InterruptedException {
        Path profile = directory.resolve("profile");
        ProcessBuilder builder = new ProcessBuilder(
                        program.toString(),
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--disable-dev-shm-usage",
                        "--remote-debugging-port=0",
                        "--user-data-dir=" + profile,
                        "about:blank")
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("chromium.out").toFile());
        // Where its sockets are, too, which are deleted with the directory.
        builder.environment().put("TMPDIR", directory.toString());
        Process process = builder.start();
        try {
            return new BrowserPage(process, profile);
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            end(process);
            throw e;
        }
    }

    /** Opens an address. */
    void open(String url) {
        command("Page.navigate", "url", url);
    }

    /** Lays the page out in a window of this width, for people with light or dark preferences. */
    void show(int width, boolean dark) {
        send(
                "Emulation.setDeviceMetricsOverride",
                JSON.createObjectNode()
                        .put("width", width)
                        .put("height", 900)
                        .put("deviceScaleFactor", 1)
                        .put("mobile", false));
        ObjectNode media = JSON.createObjectNode();
        media.putArray("features")
                .addObject()
                .put("name", "prefers-color-scheme")
                .put("value", dark ? "dark" : "light");
        send("Emulation.setEmulatedMedia", media);
    }

    /** Evaluates an expression of JavaScript. */
    JsonNode evaluate(String expression) {
        JsonNode reply = send(
                "Runtime.evaluate",
                JSON.createObjectNode()
                        .put("expression", expression)
                        .put("returnByValue", true)
                        .put("awaitPromise", true));
        assertThat(reply.path("exceptionDetails").isMissingNode())
                .as("%s in %s", reply, expression)
                .isTrue();
        return reply.path("result").path("value");
    }

    /** Returns the visible text of the first element that a selector finds; empty if there is none. */
    String text(String selector) {
        return evaluate("document.querySelector(" + JSON.valueToTree(selector) + ")?.innerText ?? ''")
                .textValue();
    }

    /** Waits until the visible text of an element contains another one. */
    void awaitText(String selector, String expected) {
        await().atMost(PATIENCE).untilAsserted(() -> assertThat(text(selector)).contains(expected));
    }

    /** Returns the errors of scripts, and what the page was refused by its policy. */
    List<String> problems() {
        return List.copyOf(problems);
    }

    /** Writes a picture of the whole page. */
    void screenshot(Path file) throws IOException {
        JsonNode reply = send(
                "Page.captureScreenshot",
                JSON.createObjectNode().put("captureBeyondViewport", true).put("format", "png"));
        Files.write(file, Base64.getDecoder().decode(reply.path("data").textValue()));
    }

    private void command(String method, String... parameters) {
        ObjectNode values = JSON.createObjectNode();
        for (int i = 0; i < parameters.length; i += 2) {
            values.put(parameters[i], parameters[i + 1]);
        }
        send(method, values);
    }

    private JsonNode send(String method, ObjectNode parameters) {
        int id = ids.incrementAndGet();
        CompletableFuture<JsonNode> reply = new CompletableFuture<>();
        replies.put(id, reply);
        ObjectNode message = JSON.createObjectNode().put("id", id).put("method", method);
        message.set("params", parameters);
        socket.sendText(message.toString(), true).join();
        JsonNode answer =
                reply.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
        assertThat(answer.path("error").isMissingNode())
                .as("%s to %s", answer, method)
                .isTrue();
        return answer.path("result");
    }

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        part.append(data);
        if (last) {
            String text = part.toString();
            part.setLength(0);
            try {
                received(JSON.readTree(text));
            } catch (IOException e) {
                problems.add("no JSON: " + text);
            }
        }
        from.request(1);
        return CompletableFuture.completedFuture(null);
    }

    private void received(JsonNode message) {
        CompletableFuture<JsonNode> reply = replies.remove(message.path("id").asInt());
        if (reply != null) {
            reply.complete(message);
        }
        switch (message.path("method").asText()) {
            case "Runtime.exceptionThrown" -> problems.add(message.toString());
            case "Runtime.consoleAPICalled" -> problems.add(message.toString());
            case "Log.entryAdded" -> {
                JsonNode entry = message.path("params").path("entry");
                // A request that got no answer, or a refusal, is what these tests are about.
                if (!entry.path("source").asText().equals("network")) {
                    problems.add(entry.toString());
                }
            }
            default -> {
                // Another event.
            }
        }
    }

    private static void end(Process process) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly().onExit().join();
    }

    @Override
    public void close() {
        socket.abort();
        end(process);
    }
}
